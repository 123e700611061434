import sharp, { type Sharp } from 'sharp';
import { describe, expect, it } from 'vitest';
import { decode } from '../../../origin/pipeline/decode.ts';
import type { Photo } from '../../../origin/pipeline/main-image.ts';
import { bmpOf } from '../../hostile/formats.ts';

const W = 96;
const H = 64;
/** Four quarters of four colours, so that orientations can be told apart. */
const quarters = {
  topLeft: [200, 40, 40],
  topRight: [40, 180, 60],
  bottomLeft: [50, 70, 210],
  bottomRight: [220, 200, 60],
} as const;

const upright = (): Buffer => {
  const rgb = Buffer.alloc(W * H * 3);
  for (let y = 0; y < H; y++)
    for (let x = 0; x < W; x++)
      rgb.set(
        quarters[y < H / 2 ? (x < W / 2 ? 'topLeft' : 'topRight') : x < W / 2 ? 'bottomLeft' : 'bottomRight'],
        (y * W + x) * 3,
      );
  return rgb;
};
const image = () => sharp(upright(), { raw: { width: W, height: H, channels: 3 } });

const decoded = async (bytes: Uint8Array): Promise<Photo> => {
  const result = await decode(bytes);
  if (!result.ok) throw new Error(`${result.failure.code}: ${result.failure.detail}`);
  return result.value;
};

const codeOf = async (bytes: Uint8Array): Promise<string> => {
  const result = await decode(bytes);
  return result.ok ? 'ok' : result.failure.code;
};

/** The middle of every quarter within `tolerance` levels of what it should be. */
const expectQuarters = (
  { rgb }: Photo,
  tolerance: number,
  wanted: Record<keyof typeof quarters, readonly number[]> = quarters,
): void => {
  expect([rgb.width, rgb.height]).toEqual([W, H]);
  expect(rgb.data.length).toBe(W * H * 3);
  for (const [name, colour] of Object.entries(wanted)) {
    const x = name.endsWith('Left') ? W / 4 : (3 * W) / 4;
    const y = name.startsWith('top') ? H / 4 : (3 * H) / 4;
    for (let c = 0; c < 3; c++)
      expect(Math.abs(rgb.data[(y * W + x) * 3 + c]! - colour[c]!), `${name}, channel ${c}`).toBeLessThanOrEqual(
        tolerance,
      );
  }
};

describe('a photo comes out upright', () => {
  /** What was done to the upright picture so that the tag undoes it. */
  const stored: Record<number, (upright: Sharp) => Promise<Sharp>> = {
    1: async (it) => it,
    2: async (it) => it.flop(),
    3: async (it) => it.rotate(180),
    4: async (it) => it.flip(),
    5: async (it) => sharp(await it.flop().png().toBuffer()).rotate(270),
    6: async (it) => it.rotate(270),
    7: async (it) => sharp(await it.flop().png().toBuffer()).rotate(90),
    8: async (it) => it.rotate(90),
  };
  it.each(Object.keys(stored).map(Number))('from orientation %i', async (orientation) => {
    const turned = await (await stored[orientation]!(image())).png().toBuffer();
    const bytes = await sharp(turned)
      .withMetadata({ orientation })
      .jpeg({ quality: 100, chromaSubsampling: '4:4:4' })
      .toBuffer();
    expectQuarters(await decoded(bytes), 5);
  });
});

describe('a photo comes out in 8-bit sRGB with its colours', () => {
  it.each([
    ['PNG', () => image().png()],
    ['palette PNG', () => image().png({ palette: true, colours: 8, dither: 0 })],
    ['16-bit PNG', () => image().toColourspace('rgb16').png()],
    ['WebP', () => image().webp({ lossless: true })],
    ['AVIF', () => image().avif({ lossless: true })],
    ['TIFF', () => image().tiff({ compression: 'lzw' })],
    ['GIF', () => image().gif({ dither: 0 })],
    ['JPEG', () => image().jpeg({ quality: 100, chromaSubsampling: '4:4:4' })],
  ])('%s', async (_, make) => {
    expectQuarters(await decoded(await make().toBuffer()), 6);
  });

  it.each([
    ['of 24 bits', { bits: 24 }, 0],
    ['of 24 bits, stored top down', { bits: 24, isTopDown: true }, 0],
    ['of 32 bits without alpha', { bits: 32 }, 0],
    ['with an alpha of 1 everywhere', { bits: 32, hasAlpha: true }, 0],
    ['with a palette', { bits: 8 }, 26],
  ] as const)('BMP %s', async (_, kind, tolerance) => {
    const { data, info } = await image().ensureAlpha().raw().toBuffer({ resolveWithObject: true });
    expectQuarters(await decoded(bmpOf(data, info.width, kind)), tolerance);
  });

  it('BMP whose alpha is a cut-out: colours and alpha', async () => {
    const rgba = new Uint8Array(40 * 30 * 4).map((_, i) => (i % 4 < 3 ? 200 : i % 160 < 80 ? 0 : 255));
    const { rgb, alpha } = await decoded(bmpOf(rgba, 40, { bits: 32, hasAlpha: true }));
    expect([rgb.width, rgb.height]).toEqual([40, 30]);
    expect([alpha?.data[0], alpha?.data[39]]).toEqual([0, 255]);
  });

  it.each([
    ['compressed', 30, 1],
    ['of 16 bits', 28, 16],
    ['without width', 18, 0],
    ['whose palette would reach into its pixels', 10, 54],
    ['cut off', 10, 10_000],
  ])('a BMP %s is refused', async (_, at, value) => {
    const bytes = bmpOf(new Uint8Array(40 * 30 * 4), 40, { bits: 8 });
    bytes.writeUInt16LE(value, at);
    expect(await codeOf(bytes)).toBe('unreadable_image');
  });

  it('a BMP of more megapixels than are taken is refused by its header', async () => {
    const bytes = new Uint8Array(Buffer.concat([bmpOf(new Uint8Array(4), 1, { bits: 24 }), Buffer.alloc(10_200_000)]));
    const view = new DataView(bytes.buffer);
    for (const [at, side] of [
      [18, 9_000],
      [22, 9_000],
    ] as const)
      view.setInt32(at, side, true);
    view.setUint16(28, 1, true);
    view.setUint32(10, 62, true);
    expect(await codeOf(bytes)).toBe('image_too_large');
  });

  it('Display P3: the profile is applied, not dropped', async () => {
    const p3 = await image().withIccProfile('p3').png().toBuffer();
    const raw = await sharp(p3, {}).metadata();
    expect(raw.icc).toBeDefined();
    expectQuarters(await decoded(p3), 4);
  });

  it('CMYK JPEG: its inks come out as the colours they print', async () => {
    const cmyk = await image().toColourspace('cmyk').jpeg({ quality: 100 }).toBuffer();
    expect((await sharp(cmyk).metadata()).space).toBe('cmyk');
    // The inks' gamut is smaller than the screen's; swapped or inverted inks would be off by more than 100.
    expectQuarters(await decoded(cmyk), 64);
  });

  it('greyscale becomes three equal channels', async () => {
    const { rgb } = await decoded(await image().greyscale().jpeg({ quality: 100 }).toBuffer());
    for (let i = 0; i < rgb.data.length; i += 3)
      expect([rgb.data[i + 1], rgb.data[i + 2]]).toEqual([rgb.data[i], rgb.data[i]]);
  });

  it('16-bit greyscale keeps its levels', async () => {
    const ramp = Uint16Array.from({ length: W * H }, (_, i) => Math.round(((i % W) / (W - 1)) * 65535));
    const png = await sharp(ramp, { raw: { width: W, height: H, channels: 1 } })
      .toColourspace('grey16')
      .png()
      .toBuffer();
    const { rgb } = await decoded(png);
    expect(rgb.data[0]).toBeLessThanOrEqual(2);
    expect(rgb.data[(W - 1) * 3]).toBeGreaterThanOrEqual(253);
    expect(Math.abs(rgb.data[(W >> 1) * 3]! - 128)).toBeLessThanOrEqual(3);
  });

  it('an animated GIF gives its first frame', async () => {
    const frames = Buffer.concat([upright(), Buffer.alloc(W * H * 3, 255)]);
    const gif = await sharp(frames, { raw: { width: W, height: H * 2, channels: 3, pageHeight: H } })
      .gif({ dither: 0 })
      .toBuffer();
    expect((await sharp(gif).metadata()).pages).toBe(2);
    expectQuarters(await decoded(gif), 6);
  });
});

describe('alpha', () => {
  const withAlpha = (alphaAt: (x: number, y: number) => number): Promise<Buffer> => {
    const rgba = Buffer.alloc(W * H * 4);
    for (let i = 0; i < W * H; i++) rgba.set([200, 40, 40, alphaAt(i % W, Math.floor(i / W))], i * 4);
    return sharp(rgba, { raw: { width: W, height: H, channels: 4 } })
      .png()
      .toBuffer();
  };
  const inDisc = (x: number, y: number): boolean => Math.hypot(x - W / 2, y - H / 2) < 24;

  it('of a cut-out is kept exactly', async () => {
    const { alpha } = await decoded(await withAlpha((x, y) => (inDisc(x, y) ? 255 : 0)));
    expect(alpha).toBeDefined();
    for (let i = 0; i < W * H; i++) expect(alpha!.data[i]).toBe(inDisc(i % W, Math.floor(i / W)) ? 255 : 0);
  });

  it.each([
    ['opaque', () => 255],
    ['nearly opaque all over', () => 250],
    ['wholly clear', () => 0],
    ['a veil', () => 128],
    ['noise', (x: number, y: number) => ((x * 7919 + y * 104729) % 251 > 125 ? 255 : 0)],
    [
      'clear in the corners only',
      (x: number, y: number) => (Math.min(x, W - 1 - x) + Math.min(y, H - 1 - y) < 4 ? 0 : 255),
    ],
  ])('that is %s counts for nothing', async (_, alphaAt) => {
    expect((await decoded(await withAlpha(alphaAt))).alpha).toBeUndefined();
  });
});

describe('what is no usable image is refused with its own code', () => {
  const text = (content: string): Uint8Array => new TextEncoder().encode(content);
  const noisy = (): Sharp => {
    const pixels = Buffer.from(Array.from({ length: 300 * 200 * 3 }, (_, i) => (i * 2654435761) >>> 24));
    return sharp(pixels, { raw: { width: 300, height: 200, channels: 3 } });
  };

  it.each([
    ['an empty file', () => new Uint8Array(0), 'file_empty'],
    ['text', () => text('this is not a photo, whatever its name says'), 'unsupported_media_type'],
    [
      'SVG',
      () => text('<svg xmlns="http://www.w3.org/2000/svg" width="99" height="99"><rect width="50" height="50"/></svg>'),
      'unsupported_media_type',
    ],
    ['PDF', () => text('%PDF-1.7\n1 0 obj<<>>endobj'), 'unsupported_media_type'],
    [
      'a BMP without a header',
      () => Uint8Array.of(0x42, 0x4d, ...new Array<number>(60).fill(0)),
      'unsupported_media_type',
    ],
    [
      'HEIC',
      () => Uint8Array.of(0, 0, 0, 24, ...text('ftypheic'), 0, 0, 0, 0, ...text('mif1heic')),
      'unsupported_heic',
    ],
    ['a JPEG of three bytes', () => Uint8Array.of(0xff, 0xd8, 0xff), 'unreadable_image'],
    [
      'a PNG of its signature alone',
      () => Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
      'unreadable_image',
    ],
  ])('%s', async (_, make, code) => {
    expect(await codeOf(make())).toBe(code);
  });

  it.each([
    ['JPEG', () => noisy().jpeg()],
    ['progressive JPEG', () => noisy().jpeg({ progressive: true })],
    ['PNG', () => noisy().png()],
    ['WebP', () => noisy().webp()],
    ['TIFF', () => noisy().tiff({ compression: 'lzw' })],
    ['GIF', () => noisy().gif()],
    ['AVIF', () => noisy().avif()],
  ])('a %s cut off anywhere', async (_, make) => {
    const whole = new Uint8Array(await make().toBuffer());
    expect(await codeOf(whole)).toBe('ok');
    for (const share of [0.3, 0.6, 0.9])
      expect(await codeOf(whole.slice(0, Math.floor(whole.length * share))), `${share}`).toBe('unreadable_image');
  });

  it('a PNG whose header claims 60,000 × 60,000, before any pixel is decoded', async () => {
    const png = new Uint8Array(
      await sharp({ create: { width: 32, height: 32, channels: 3, background: '#888' } })
        .png()
        .toBuffer(),
    );
    const view = new DataView(png.buffer, png.byteOffset);
    view.setUint32(16, 60_000);
    view.setUint32(20, 60_000);
    view.setUint32(29, crc32(png.subarray(12, 29)));
    const started = process.memoryUsage().rss;
    expect(await codeOf(png)).toBe('image_too_large');
    expect(process.memoryUsage().rss - started).toBeLessThan(200 * 1024 * 1024);
  });

  it('more than 64 megapixels, and fewer than 16 pixels a side', async () => {
    const blank = (width: number, height: number) =>
      sharp({ create: { width, height, channels: 3, background: '#888' } })
        .png()
        .toBuffer();
    expect(await codeOf(await blank(8001, 8000))).toBe('image_too_large');
    expect(await codeOf(await blank(15, 400))).toBe('image_too_small');
    expect(await codeOf(await blank(16, 16))).toBe('ok');
  });
});

/** Of PNG chunks: polynomial 0xedb88320. */
const crc32 = (bytes: Uint8Array): number => {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return ~crc >>> 0;
};
