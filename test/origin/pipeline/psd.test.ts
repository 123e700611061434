import sharp, { type Sharp } from 'sharp';
import { describe, expect, it } from 'vitest';
import { decode } from '../../../origin/pipeline/decode.ts';
import type { Photo } from '../../../origin/pipeline/main-image.ts';
import { type PsdKind, psdOf } from '../../hostile/formats.ts';

const W = 48;
const H = 40;
/** A slope of colours, and of grey levels between black and white in the lower half. */
const rgb = (): Uint8Array =>
  Uint8Array.from({ length: W * H * 3 }, (_, i) => {
    const [x, y, channel] = [Math.floor(i / 3) % W, Math.floor(i / 3 / W), i % 3];
    return y < H / 2 ? [x * 5, 255 - x * 5, y * 10][channel]! : x * 5;
  });
const image = (): Sharp => sharp(rgb(), { raw: { width: W, height: H, channels: 3 } });

const decoded = async (bytes: Uint8Array): Promise<Photo> => {
  const result = await decode(bytes);
  if (!result.ok) throw new Error(`${result.failure.code}: ${result.failure.detail}`);
  return result.value;
};
const refusal = async (bytes: Uint8Array): Promise<string> => {
  const result = await decode(bytes);
  return result.ok ? 'ok' : `${result.failure.code}: ${result.failure.detail}`;
};
/** The largest difference of a level. */
const distance = (a: Photo['rgb'], b: Photo['rgb']): number => {
  expect([a.width, a.height, a.data.length]).toEqual([b.width, b.height, b.data.length]);
  return a.data.reduce((most, level, i) => Math.max(most, Math.abs(level - b.data[i]!)), 0);
};
const rawOf = async (from: Sharp): Promise<Uint8Array> => from.raw({ depth: 'uchar' }).toBuffer();

describe('the merged picture of a Photoshop file comes out with its colours', () => {
  it.each([
    ['as it is', {}],
    ['packed', { isPacked: true }],
    ['of 16 bits', { bits: 16 }],
    ['of 16 bits, packed', { bits: 16, isPacked: true }],
    ['as a large document', { isLarge: true }],
    ['as a large document, packed', { isLarge: true, isPacked: true }],
    ['with layers', { layers: 3 }],
  ] satisfies [string, PsdKind][])('RGB %s', async (_, kind) => {
    const photo = await decoded(psdOf(rgb(), W, 3, kind));
    expect(Buffer.compare(photo.rgb.data, rgb())).toBe(0);
    expect(photo.alpha).toBeUndefined();
  });

  it('grey, and black and white of a bitmap', async () => {
    const grey = await rawOf(image().greyscale());
    expect(grey.length).toBe(W * H);
    const three = (level: (at: number) => number): Photo['rgb'] => ({
      data: Uint8Array.from({ length: W * H * 3 }, (_, i) => level(Math.floor(i / 3))),
      width: W,
      height: H,
    });
    expect(
      distance(
        (await decoded(psdOf(grey, W, 1, { mode: 1 }))).rgb,
        three((at) => grey[at]!),
      ),
    ).toBe(0);
    const bitmap = await decoded(psdOf(grey, W, 1, { mode: 0, bits: 1 }));
    expect(
      distance(
        bitmap.rgb,
        three((at) => (grey[at]! < 128 ? 0 : 255)),
      ),
    ).toBe(0);
  });

  it('indexed, by its colour table, and transparent where the file says', async () => {
    const palette = Uint8Array.from({ length: 768 }, (_, i) => (i * 7) & 0xff);
    const samples = Uint8Array.from({ length: W * H }, (_, i) => (i % W < W / 2 ? 9 : 200));
    const { rgb: seen, alpha } = await decoded(psdOf(samples, W, 1, { mode: 2, palette }));
    const colourOf = (index: number) => [0, 256, 512].map((at) => palette[at + index]);
    expect([[...seen.data.subarray(0, 3)], alpha]).toEqual([colourOf(9), undefined]);
    const kind = { mode: 2, palette, resources: { 1047: Uint8Array.of(0, 200) } };
    const cutout = await decoded(psdOf(samples, W, 1, kind));
    expect([...cutout.rgb.data.subarray(0, 3)]).toEqual(colourOf(9));
    expect([cutout.alpha?.data[0], cutout.alpha?.data[W - 1]]).toEqual([255, 0]);
  });

  it('CMYK as libvips shows the same inks of its own TIFF', async () => {
    const tiff = new Uint8Array(await image().toColourspace('cmyk').tiff({ compression: 'none' }).toBuffer());
    expect((await sharp(tiff).metadata()).space).toBe('cmyk');
    // Libtiff writes the pixels right behind the header.
    const missingInk = tiff.slice(8, 8 + W * H * 4).map((ink) => 255 - ink);
    const { rgb: seen } = await decoded(psdOf(missingInk, W, 4, { mode: 4 }));
    expect(distance(seen, (await decoded(tiff)).rgb)).toBe(0);
    const grey = [seen.data[(H - 1) * W * 3]!, seen.data[(H * W - 1) * 3]!];
    expect([grey[0]! < 60, grey[1]! > 210]).toEqual([true, true]);
  });

  it('its profile is applied, not dropped', async () => {
    const p3 = await image().withIccProfile('p3').png().toBuffer();
    const { icc } = await sharp(p3).metadata();
    const samples = await rawOf(sharp(p3).keepIccProfile());
    const photo = await decoded(psdOf(samples, W, 3, { resources: { 1039: new Uint8Array(icc!) } }));
    expect(distance(photo.rgb, (await decoded(p3)).rgb)).toBeLessThanOrEqual(1);
    expect(distance(photo.rgb, (await decoded(psdOf(samples, W, 3))).rgb)).toBeGreaterThan(5);
  });
});

describe('transparency', () => {
  const [red, half] = [[200, 30, 60], 128];
  /** Left transparent, then half so, laid on white as Photoshop does, then opaque. */
  const rgba = Uint8Array.from({ length: W * H * 4 }, (_, i) => {
    const [x, channel] = [Math.floor(i / 4) % W, i % 4];
    const alpha = x < 12 ? 0 : x < 16 ? half : 255;
    return channel === 3 ? alpha : Math.round((red[channel]! * alpha + 255 * (255 - alpha)) / 255);
  });
  it.each([
    ['of 8 bits', { layers: -1 }],
    ['of 16 bits', { bits: 16, layers: -2, isDeep: true }],
    ['of a large document of 16 bits', { bits: 16, layers: -2, isDeep: true, isLarge: true, isPacked: true }],
  ] satisfies [string, PsdKind][])('is kept, and the white taken out of the edges: %s', async (_, kind) => {
    const { rgb: seen, alpha } = await decoded(psdOf(rgba, W, 4, kind));
    expect([alpha?.data[0], alpha?.data[13], alpha?.data[40]]).toEqual([0, half, 255]);
    for (const x of [13, 40])
      for (let channel = 0; channel < 3; channel++)
        expect(Math.abs(seen.data[x * 3 + channel]! - red[channel]!)).toBeLessThanOrEqual(1);
  });
  it('is not what a saved selection is', async () => {
    for (const kind of [{}, { layers: 1 }, { bits: 16, layers: 1, isDeep: true }] satisfies PsdKind[])
      expect((await decoded(psdOf(rgba, W, 4, kind))).alpha).toBeUndefined();
  });
});

describe('a Photoshop file that is not read says why and what to do', () => {
  it.each([
    ['of 32 bits', 3, { bits: 32 }, /32 bits.*convert it to 8 or 16 bits/],
    ['of two inks', 1, { mode: 8 }, /Duotone.*convert it to RGB/],
    ['of many inks', 3, { mode: 7 }, /Multichannel.*convert it to RGB/],
    ['in Lab', 3, { mode: 9 }, /Lab.*convert it to RGB/],
    ['saved without its merged picture', 3, { resources: { 1057: Uint8Array.of(0, 0, 0, 1, 0) } }, /Maximize Compat/],
    ['with fewer channels than its mode has', 3, { mode: 4 }, /a channel is missing/],
    ['indexed without a colour table', 1, { mode: 2 }, /no colour table/],
  ] satisfies [string, number, PsdKind, RegExp][])('%s', async (_, channels, kind, told) => {
    const said = await refusal(psdOf(new Uint8Array(W * H * channels), W, channels, kind));
    expect(said).toMatch(/^unreadable_image: /);
    expect(said).toMatch(told);
  });

  it('packed by ZIP', async () => {
    const bytes = psdOf(rgb(), W, 3);
    bytes.writeUInt16BE(2, 38);
    expect(await refusal(bytes)).toMatch(/unusual way.*PNG/);
  });

  it('cut off at any byte, it is refused', async () => {
    for (const kind of [{}, { isPacked: true }, { layers: 2, isLarge: true, isPacked: true }] satisfies PsdKind[]) {
      const bytes = psdOf(rgb(), W, 3, { ...kind, resources: { 1039: new Uint8Array(7) } });
      for (let end = 26; end < bytes.length; end += end < 400 ? 1 : 397)
        expect(await refusal(bytes.subarray(0, end)), String(end)).toMatch(/^unreadable_image/);
    }
  });

  it.each([
    [9_000, 9_000, 'image_too_large'],
    [0xffff_ffff, 0xffff_ffff, 'image_too_large'],
    [300_000, 4, 'image_too_large'],
    [0, 40, 'unreadable_image'],
    [8, 8, 'image_too_small'],
    [4_000, 4_000, 'unreadable_image'],
  ])('that claims %i × %i pixels: by its header, before anything is made for them', async (width, height, code) => {
    const bytes = psdOf(rgb(), W, 3, { isPacked: true });
    bytes.writeUInt32BE(height, 14);
    bytes.writeUInt32BE(width, 18);
    const before = process.memoryUsage().arrayBuffers;
    expect(await refusal(bytes)).toMatch(new RegExp(`^${code}`));
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 << 20);
  });
});
