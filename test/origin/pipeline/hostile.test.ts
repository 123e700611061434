import sharp, { type Sharp } from 'sharp';
import { describe, expect, it } from 'vitest';
import { decode, sizeOf } from '../../../origin/pipeline/decode.ts';
import { pixelsBy } from '../../../origin/pipeline/pixels.ts';
import { errors } from '../../../shared/errors.ts';
import { disguised, notAccepted } from '../../support/hostile-images.ts';

const pixelsOf = pixelsBy(sizeOf);

// The loaders of libvips are all open in this file: what is refused here is refused by structure and format alone.
const SIDE = 64;
const picture = (r: number, g: number, b: number): Sharp =>
  sharp({ create: { width: SIDE, height: SIDE, channels: 3, background: { r, g, b } } });
const encoders: Readonly<Record<string, (image: Sharp) => Sharp>> = {
  JPEG: (image) => image.jpeg({ quality: 100 }),
  PNG: (image) => image.png(),
  WebP: (image) => image.webp({ lossless: true }),
  GIF: (image) => image.gif(),
  TIFF: (image) => image.tiff(),
  AVIF: (image) => image.avif({ lossless: true }),
};
const names = Object.keys(encoders);
const fileOf = async (name: string, image: Sharp): Promise<Uint8Array> =>
  new Uint8Array(await encoders[name]!(image).toBuffer());

/** What refusing a file took of the whole process. */
const refusal = async (bytes: Uint8Array) => {
  const [cpu, rss] = [process.cpuUsage(), process.memoryUsage().rss];
  const result = await decode(bytes);
  const weighed = await pixelsOf({ bytes, options: { layout: 'hero', canvas: 2000 } });
  const { user, system } = process.cpuUsage(cpu);
  return {
    code: result.ok ? 'ok' : result.failure.code,
    retryable: result.ok || errors[result.failure.code].retryable,
    weighed,
    cpuMs: (user + system) / 1000,
    rssMiB: (process.memoryUsage().rss - rss) / 2 ** 20,
  };
};

describe('a hostile file is refused at once, and nobody is asked to try it again', () => {
  it.each(Object.entries(notAccepted))('%s', async (_, bytes) => {
    const { cpuMs, rssMiB, ...answer } = await refusal(bytes);
    expect(answer).toEqual({ code: 'unsupported_media_type', retryable: false, weighed: undefined });
    expect(cpuMs).toBeLessThan(500);
    expect(rssMiB).toBeLessThan(64);
  });

  it.each(Object.entries(disguised))('%s', async (_, bytes) => {
    const { cpuMs, rssMiB, ...answer } = await refusal(bytes);
    expect(answer.code).toMatch(/^(unreadable_image|image_too_large)$/);
    expect(answer.retryable).toBe(false);
    expect(cpuMs).toBeLessThan(500);
    expect(rssMiB).toBeLessThan(64);
  });

  it('HEVC under an AVIF brand', async () => {
    const avif = Buffer.from(await fileOf('AVIF', picture(200, 40, 40)));
    for (const [from, to] of [
      ['av01', 'hvc1'],
      ['av1C', 'hvcC'],
    ] as const)
      for (let at = avif.indexOf(from); at >= 0; at = avif.indexOf(from, at + 4)) avif.write(to, at, 'latin1');
    const { code, retryable } = await refusal(new Uint8Array(avif));
    expect(code).toMatch(/^(unreadable_image|unsupported_heic)$/);
    expect(retryable).toBe(false);
  });
});

describe('a file of two formats is what its first bytes say, or refused', () => {
  const pairs = names.flatMap((first) => names.filter((second) => second !== first).map((second) => [first, second]));
  it.each(pairs as [string, string][])('a %s with a %s behind it', async (first, second) => {
    const [red, blue] = [await fileOf(first, picture(200, 40, 40)), await fileOf(second, picture(40, 60, 210))];
    const result = await decode(new Uint8Array(Buffer.concat([red, blue])));
    if (!result.ok) return expect(errors[result.failure.code].retryable).toBe(false);
    const { data } = result.value.rgb;
    expect(data[0]! - data[2]!).toBeGreaterThan(120);
  });
});
