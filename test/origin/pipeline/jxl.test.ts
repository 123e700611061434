import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { decode, sizeOf } from '../../../origin/pipeline/decode.ts';
import type { Photo } from '../../../origin/pipeline/main-image.ts';
import { limits } from '../../../shared/limits.ts';
import { inContainer, jxlOf } from '../../support/jxl.ts';

const W = 32;
const H = 24;
/** Red grows to the right, green falls downwards. */
const slope = (width = W, height = H): Uint8Array =>
  Uint8Array.from({ length: width * height * 3 }, (_, i) => {
    const [x, y] = [Math.floor(i / 3) % width, Math.floor(i / 3 / width)];
    return [40 + x * 6, 230 - y * 8, 60][i % 3]! & 0xff;
  });
const pngOf = (rgb: Uint8Array, width: number, height: number): Promise<Buffer> =>
  sharp(rgb, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer();
const lossless = async (width = W, height = H): Promise<Uint8Array> =>
  jxlOf(await pngOf(slope(width, height), width, height), { lossless: true });

const decoded = async (bytes: Uint8Array): Promise<Photo> => {
  const result = await decode(bytes);
  if (!result.ok) throw new Error(`${result.failure.code}: ${result.failure.detail}`);
  return result.value;
};
const codeOf = async (bytes: Uint8Array): Promise<string> => {
  const result = await decode(bytes);
  return result.ok ? 'ok' : result.failure.code;
};
const levelsAt = ({ rgb }: Photo, x: number, y: number): number[] => [
  ...rgb.data.subarray((y * rgb.width + x) * 3, (y * rgb.width + x) * 3 + 3),
];
const expectLevels = (found: readonly number[], wanted: readonly number[], within: number): void => {
  for (const [i, level] of wanted.entries())
    expect(Math.abs(found[i]! - level), `${found}`).toBeLessThanOrEqual(within);
};

describe('a JPEG XL comes out with its colours', () => {
  it.each([
    ['as a naked codestream', (bytes: Uint8Array) => bytes],
    ['in a container', (bytes: Uint8Array) => inContainer(bytes)],
    ['in a container, in three parts', (bytes: Uint8Array) => inContainer(bytes, 3)],
  ])('%s', async (_, wrapped) => {
    const photo = await decoded(wrapped(await lossless()));
    expect(photo.rgb).toMatchObject({ width: W, height: H });
    expect(Buffer.compare(photo.rgb.data, slope())).toBe(0);
    expect(photo.alpha).toBeUndefined();
  });

  it('lossy', async () => {
    const photo = await decoded(await jxlOf(await pngOf(slope(), W, H), { quality: 90 }));
    for (const [x, y] of [
      [2, 2],
      [29, 2],
      [2, 21],
      [29, 21],
    ] as const)
      expectLevels(levelsAt(photo, x, y), [...slope().subarray((y * W + x) * 3, (y * W + x) * 3 + 3)], 12);
  });

  it('with the cut-out that it carries', async () => {
    const rgba = Uint8Array.from({ length: W * H * 4 }, (_, i) => {
      const [x, y] = [Math.floor(i / 4) % W, Math.floor(i / 4 / W)];
      return i % 4 === 3 ? (x >= 8 && x < 24 && y >= 6 && y < 18 ? 255 : 0) : 90;
    });
    const png = await sharp(rgba, { raw: { width: W, height: H, channels: 4 } })
      .png()
      .toBuffer();
    const { alpha } = await decoded(await jxlOf(png, { lossless: true }));
    expect(alpha?.data[12 * W + 16]).toBe(255);
    expect(alpha?.data[0]).toBe(0);
  });

  // Written by cjxl 0.7 from the slope above: in Display P3, and lying on its side.
  it('of a wide colour space as sRGB', async () => {
    const photo = await decoded(
      Buffer.from(
        '/wrFQEKCLLYUxm/Cs4ACD4UwJaGoDhcCABKIAEgDj/wpAQBQoTLKuMHLuZ4vP3RYTNu4ztBW2xaWJIqMY5N0AoeZBIkUiyHzJigOrt6AAKRn5t/TS0DMR0Zyknzhk0cBNwlmC1coHphiSQogAZCcRCt3MKa2Aw3NBH2zycxbJwNAhRRIdt1SPDJGMorixRhj5F28M5E4ABR5kPm7M5uZ8fP0l33vPHlJG+NzkSL3aTiVQmcfv7XkHj1Htv8Hcm9v3AyO7fkNsidNwPdzdP5tLaikXrlOkUHtmwNwFII/Zq17E9CyWYWpyffgQQ48Bc0A',
        'base64',
      ),
    );
    expectLevels(levelsAt(photo, 2, 2), [52, 214, 60], 3);
    expectLevels(levelsAt(photo, 29, 21), [214, 62, 60], 3);
  });

  it('upright', async () => {
    const bytes = Buffer.from(
      'AAAADEpYTCANCocKAAAAFGZ0eXBqeGwgAAAAAGp4bCAAAADUanhsY/8KxSyQUFwSABKIAPgCv8ooAQBQoTLKuMHLuZ4vP3RYTNu4ztBW2xaWJIqMY5N0AoeZBIkUKzHGZWyAdScc4NS/tJJ3B858IpMz8OW9+dCNqKukM8OJKQVggLo1OEM7OASlPCAoCVMYM/5UyABQIQUybbeSyDtFSjHGY7x48bSDIQNQ7VDZkI2VbTu+KFPaUY6XMQhBrnDfkBEPyA4OcAiMy+MenUgF7PpeRgfmOAr39Ue62xLlw+yNI+29eTJmr9+qrfMl+PwJ1ATeAg==',
      'base64',
    );
    expect(await sizeOf(bytes)).toEqual({ width: W, height: H });
    const photo = await decoded(bytes);
    expect(photo.rgb).toMatchObject({ width: H, height: W });
    expectLevels(levelsAt(photo, 2, 2), [52, 62, 60], 6);
    expectLevels(levelsAt(photo, 21, 29), [214, 214, 60], 6);
  });
});

it.each([
  [16, 16],
  [256, 256],
  [17, 31],
  [120, 100],
  [40, 30],
  [48, 32],
  [160, 90],
  [50, 40],
  [64, 32],
  [600, 511],
  [9_000, 16],
])('the header of %i × %i pixels tells its size, and the pixels have it', async (width, height) => {
  const bytes = await lossless(width, height);
  expect(await sizeOf(bytes)).toEqual({ width, height });
  expect((await decoded(bytes)).rgb).toMatchObject({ width, height });
});

/** Bits in the order in which a codestream has them: height and width of 30 bits each, then as many zeros as are asked. */
const headerOf = (width: number, height: number, rest = 64): Uint8Array => {
  const bits = [0, 1, 1, ...bitsOf(height - 1, 30), 0, 0, 0, 1, 1, ...bitsOf(width - 1, 30)];
  const bytes = new Uint8Array(2 + Math.ceil(bits.length / 8) + rest);
  bytes.set([0xff, 0x0a]);
  for (const [i, bit] of bits.entries()) bytes[2 + (i >> 3)]! |= bit << (i & 7);
  return bytes;
};
const bitsOf = (value: number, count: number): number[] =>
  Array.from({ length: count }, (_, i) => Math.floor(value / 2 ** i) % 2);

describe('refused', () => {
  it('by its header, for more pixels than its decoder has memory for', async () => {
    const side = Math.floor(Math.sqrt(limits.image.jxlPixelsMax));
    expect(await codeOf(headerOf(side + 1, side + 1))).toBe('image_too_large');
    expect(await codeOf(headerOf(2 ** 30, 2 ** 30))).toBe('image_too_large');
    expect(await codeOf(headerOf(8, 8))).toBe('image_too_small');
  });

  it.each([
    ['that ends in its header', async () => headerOf(4_000, 3_000, 0).subarray(0, 6)],
    ['without pixels behind its header', async () => headerOf(64, 64)],
    ['that is cut off', async () => (await lossless()).subarray(0, -20)],
    ['whose container holds no codestream', async () => inContainer(await lossless()).subarray(0, 32)],
    ['whose container has a box of no bytes', async () => emptyBox(await lossless())],
    ['whose container holds something else', async () => inContainer(new Uint8Array(64))],
  ])('one %s', async (_, bytes) => {
    expect(await codeOf(await bytes())).toBe('unreadable_image');
  });

  it('one whose pixels are of another size than the header before them tells', async () => {
    const other = Buffer.concat([inContainer(headerOf(64, 64, 0), 1), box(await lossless())]);
    expect(await codeOf(other)).toBe('unreadable_image');
  });
});

const emptyBox = (codestream: Uint8Array): Uint8Array => {
  const bytes = inContainer(codestream);
  new DataView(bytes.buffer).setUint32(12, 4);
  return bytes;
};
const box = (codestream: Uint8Array): Uint8Array => inContainer(codestream).subarray(32);
