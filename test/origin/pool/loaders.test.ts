import sharp, { type Sharp } from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDecoder, type Decoder } from '../../../origin/decoder/decoder.ts';
import { createPipelinePool, type PipelinePool } from '../../../origin/pool/pool.ts';
import { errors } from '../../../shared/errors.ts';
import { resolveOptions } from '../../../shared/options.ts';
import { disguised, notAccepted } from '../../support/hostile-images.ts';

/** A model that takes the middle for product. */
const middle = async ({ width, height }: { width: number; height: number }) => {
  const inside = (at: number, side: number): boolean => at > side / 4 && at < (side * 3) / 4;
  const matte = Uint8Array.from({ length: width * height }, (_, i) =>
    inside(i % width, width) && inside(Math.floor(i / width), height) ? 255 : 0,
  );
  return { ok: true, value: matte } as const;
};

let decoder: Decoder;
let pool: PipelinePool;
const faults: unknown[] = [];
beforeAll(async () => {
  decoder = createDecoder(1, { isolation: [], takesHeic: false }, { onDeath: (detail) => faults.push(detail) });
  pool = createPipelinePool(1, decoder, middle, (error) => faults.push(error));
  // The thread is started before anything is measured.
  expect(await run(new TextEncoder().encode('no image'))).toBe('unsupported_media_type');
});
afterAll(() => Promise.all([pool.close(), decoder.close()]));

const run = async (bytes: Uint8Array): Promise<string> => {
  const options = resolveOptions({ canvas: 200 });
  if (!options.ok) throw new Error(options.failure.detail);
  const never = new AbortController().signal;
  const result = await pool.run(
    // The pool takes the bytes' buffer away.
    { bytes: bytes.slice(), options: options.value, watermark: false },
    'interactive',
    { beforeModel: never, throughout: never },
  );
  if (!result.ok) expect(errors[result.failure.code].retryable).toBe(false);
  return result.ok ? 'ok' : result.failure.code;
};

describe("a node's process", () => {
  it.each(Object.entries({ ...notAccepted, ...disguised }))('has no loader for %s', async (_, bytes) => {
    const [cpu, rss] = [process.cpuUsage(), process.memoryUsage().rss];
    await expect(sharp(bytes).raw().toBuffer()).rejects.toThrow();
    expect(await run(bytes)).toMatch(/^(unsupported_media_type|unreadable_image|image_too_large)$/);
    const { user, system } = process.cpuUsage(cpu);
    expect((user + system) / 1000).toBeLessThan(1_000);
    expect((process.memoryUsage().rss - rss) / 2 ** 20).toBeLessThan(128);
  });

  it('opens no file by its name', async () => {
    await expect(sharp(new URL('../../../package.json', import.meta.url).pathname).metadata()).rejects.toThrow();
  });

  const encoders: readonly (readonly [string, (image: Sharp) => Sharp])[] = [
    ['JPEG', (image) => image.jpeg()],
    ['PNG', (image) => image.png()],
    ['WebP', (image) => image.webp()],
    ['GIF', (image) => image.gif()],
    ['TIFF', (image) => image.tiff()],
    ['AVIF', (image) => image.avif()],
  ];
  it.each(encoders)('still makes a main image of a %s', async (_, encode) => {
    const photo = sharp({ create: { width: 128, height: 96, channels: 3, background: '#a04030' } });
    expect(await run(new Uint8Array(await encode(photo).toBuffer()))).toBe('ok');
    expect(faults).toEqual([]);
  });
});
