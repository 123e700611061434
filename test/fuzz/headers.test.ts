/** What reads the first bytes of files from outside: never throws, never reads beyond them, always ends. */
import fc from 'fast-check';
import sharp from 'sharp';
import { beforeAll, expect, it } from 'vitest';
import { MODEL, type Model } from '../../models/tools/onnx/schema.ts';
import { decode, encode } from '../../models/tools/onnx/wire.ts';
import { openBmp, readBmp } from '../../origin/pipeline/bmp.ts';
import { openJxl } from '../../origin/pipeline/jxl.ts';
import { openPsd } from '../../origin/pipeline/psd.ts';
import { psdToTiff } from '../../origin/pipeline/psd-to-tiff.ts';
import { decoderFormats, SNIFF_BYTES, sniffImage, type VipsImageType } from '../../shared/image-type.ts';
import { readFileHeader } from '../../shared/imaging/findings/file-header.ts';
import { encodeWhiteExact } from '../../shared/imaging/jpeg/encoder.ts';
import { jpegQuality } from '../../shared/imaging/jpeg/read-quality.ts';
import { bmpOf, psdOf } from '../hostile/formats.ts';
import { tinyNetwork } from '../models/tiny-network.ts';
import { imageHeads } from '../support/image-heads.ts';
import { inContainer, jxlOf } from '../support/jxl.ts';
import { damaged, holds, holdsLater } from './runs.ts';

const heads = Object.values(imageHeads);
let files: Uint8Array[] = [];
beforeAll(async () => {
  const picture = sharp({ create: { width: 24, height: 16, channels: 3, background: '#3af' } });
  files = await Promise.all([
    picture.clone().jpeg().toBuffer(),
    picture.clone().jpeg({ progressive: true, chromaSubsampling: '4:4:4' }).withMetadata().toBuffer(),
    picture.clone().png().toBuffer(),
    picture.clone().png({ palette: true }).toBuffer(),
    picture.clone().webp().toBuffer(),
    picture.clone().tiff().toBuffer(),
    picture.clone().gif().toBuffer(),
    picture.clone().avif().toBuffer(),
  ]);
});
const anyFile = (): fc.Arbitrary<Uint8Array> =>
  fc.oneof(damaged([...files, ...heads]), fc.uint8Array({ maxLength: 300 }));

const ownTypes: readonly string[] = ['image/bmp', 'image/vnd.adobe.photoshop', 'image/jxl'];

it('the type of any bytes is one of the nine or none, and only their beginning decides', () => {
  holds(anyFile(), (bytes) => {
    const type = sniffImage(bytes);
    if (type !== undefined) expect([...Object.keys(decoderFormats), ...ownTypes]).toContain(type);
    expect(sniffImage(bytes.subarray(0, SNIFF_BYTES))).toBe(type);
  });
});

it('a file whose type is known and whose pixels decode is decoded as that type', async () => {
  const known = anyFile().filter((bytes) => sniffImage(bytes) !== undefined);
  await holdsLater(
    known,
    async (bytes) => {
      const format = await sharp(bytes)
        .metadata()
        .then(
          (found) => found.format,
          () => undefined,
        );
      const type = sniffImage(bytes);
      // Anything else is refused by the decoder, which compares the two.
      if (type && format && ['jpeg', 'png', 'gif', 'tiff'].includes(format))
        expect(decoderFormats[type as VipsImageType]).toBe(format);
    },
    0.2,
  );
});

it('the samples and the quality of any bytes are read without a throw', () => {
  holds(anyFile(), (bytes) => {
    const { format, colourSpace, bitsPerSample } = readFileHeader(bytes);
    expect([undefined, 'jpg', 'png', 'webp']).toContain(format);
    expect(['unknown', 'srgb', 'b-w', 'cmyk']).toContain(colourSpace);
    expect(bitsPerSample).toBeGreaterThanOrEqual(0);
    expect(bitsPerSample).toBeLessThanOrEqual(255);
    const quality = jpegQuality(bytes);
    if (quality !== undefined) expect(quality >= 1 && quality <= 100).toBe(true);
  });
});

it('a BMP of any bytes is read within what the file holds, or refused', () => {
  const rgba = new Uint8Array(24 * 16 * 4).map((_, i) => (i * 37) & 0xff);
  const kinds = [{ bits: 8 }, { bits: 24, isTopDown: true }, { bits: 32 }, { bits: 32, hasAlpha: true }] as const;
  const known = damaged(kinds.map((kind) => bmpOf(rgba, 24, kind))).filter(
    (bytes) => sniffImage(bytes) === 'image/bmp',
  );
  holds(known, (bytes) => {
    const opened = openBmp(bytes);
    if (!opened.ok) {
      expect(opened.failure.code).toBe('unreadable_image');
      return;
    }
    const { width, height, bits } = opened.value;
    expect(width * height * bits).toBeLessThanOrEqual(bytes.length * 8);
    const { data, channels } = readBmp(bytes, opened.value);
    expect(data.length).toBe(width * height * channels);
  });
});

it('a JPEG XL of any bytes has a size of whole pixels, or is refused', async () => {
  const codestream = await jxlOf(files[2]!, { lossless: true });
  const known = damaged([codestream, inContainer(codestream), inContainer(codestream, 3)]);
  holds(known, (bytes) => {
    const opened = openJxl(bytes);
    if (!opened.ok) expect(opened.failure.code).toBe('unreadable_image');
    else for (const side of [opened.value.width, opened.value.height]) expect(side).toBeGreaterThan(0);
  });
});

it('a PSD of any bytes is read within the pixels that its header tells, or refused', () => {
  const samples = new Uint8Array(24 * 16 * 4).map((_, i) => (i * 37) & 0xff);
  const kinds = [
    { layers: -1 },
    { layers: -1, isPacked: true },
    { mode: 4, isPacked: true, isLarge: true },
    { bits: 16, layers: -1, isDeep: true },
  ] as const;
  const known = damaged(kinds.map((kind) => psdOf(samples, 24, 4, kind))).filter(
    (bytes) => sniffImage(bytes) === 'image/vnd.adobe.photoshop',
  );
  holds(known, (bytes) => {
    const opened = openPsd(bytes);
    const { width, height } = opened.ok ? opened.value : { width: 0, height: 0 };
    const tiff = opened.ok && width * height > 0 && width * height < 1e6 ? psdToTiff(opened.value) : undefined;
    if (!opened.ok) expect(opened.failure.code).toBe('unreadable_image');
    else if (tiff?.ok) expect(tiff.value.length).toBeLessThan(width * height * 5 + height * 8 + bytes.length + 400);
  });
});

const picture = fc
  .record({
    width: fc.integer({ min: 1, max: 40 }),
    height: fc.integer({ min: 1, max: 40 }),
    quality: fc.integer({ min: 60, max: 100 }),
    seed: fc.integer(),
    whiteShare: fc.constantFrom(0, 0.3, 0.7, 0.95, 1),
    flat: fc.boolean(),
  })
  .map(({ width, height, quality, seed, whiteShare, flat }) => {
    let state = seed | 1;
    const next = (): number => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
      return state / 0x7fffffff;
    };
    const colour = [next() * 254, next() * 254, next() * 254].map(Math.floor);
    const data = new Uint8Array(width * height * 3);
    for (let p = 0; p < data.length; p += 3) {
      const isWhite = next() < whiteShare;
      for (let c = 0; c < 3; c++) data[p + c] = isWhite ? 255 : flat ? colour[c]! : Math.floor(next() * 255);
    }
    return { picture: { data, width, height }, quality };
  });

it('whatever is written as a JPEG decodes to its size, and each white pixel of it to exactly white', async () => {
  await holdsLater(
    picture,
    async ({ picture: { data, width, height }, quality }) => {
      const file = encodeWhiteExact({ data, width, height }, quality);
      const decoded = await sharp(file, { failOn: 'warning' }).raw().toBuffer({ resolveWithObject: true });
      expect([decoded.info.width, decoded.info.height, decoded.info.channels]).toEqual([width, height, 3]);
      expect(jpegQuality(file)).toBe(quality);
      for (let p = 0; p < data.length; p += 3)
        if (data[p] === 255 && data[p + 1] === 255 && data[p + 2] === 255)
          expect([...decoded.data.subarray(p, p + 3)]).toEqual([255, 255, 255]);
    },
    0.4,
  );
});

it('a damaged model file is read or refused with an Error, within a moment', () => {
  const model = new Uint8Array(Buffer.concat(encode(tinyNetwork(), MODEL)));
  holds(damaged([model]), (bytes) => {
    const startedAtMs = performance.now();
    try {
      expect(decode<Model>(bytes, MODEL)).toBeTypeOf('object');
    } catch (error) {
      // Not a RangeError of the engine: nothing was allocated by what the file says of itself.
      expect(error).toMatchObject({ name: 'Error' });
    }
    expect(performance.now() - startedAtMs).toBeLessThan(1_000);
  });
});
