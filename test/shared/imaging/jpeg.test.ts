import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { forward, inverse } from '../../../shared/imaging/jpeg/dct.ts';
import { encodeWhiteExact } from '../../../shared/imaging/jpeg/encoder.ts';
import { huffmanTable } from '../../../shared/imaging/jpeg/huffman.ts';
import { integerInverse } from '../../../shared/imaging/jpeg/integer-idct.ts';
import { random } from '../../support/scenes.ts';

const render = async (svg: string, width: number, height: number) => {
  const board = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="#fff"/>${svg}</svg>`;
  return { data: new Uint8Array(await sharp(Buffer.from(board)).removeAlpha().raw().toBuffer()), width, height };
};
const saturated =
  '<ellipse cx="150" cy="110" rx="100" ry="80" fill="#e00"/><path d="M10 10L290 200" stroke="#22f" stroke-width="3"/><path d="M5 190L280 20" stroke="#0a0" stroke-width="1.3"/>';

describe('the white-exact encoder', () => {
  it.each([60, 80, 92, 100])('at quality %i every white pixel decodes to exactly (255, 255, 255)', async (quality) => {
    const picture = await render(saturated, 301, 213);
    const decoded = await sharp(encodeWhiteExact(picture, quality), { failOn: 'warning' }).raw().toBuffer();
    let checked = 0;
    for (let i = 0; i < decoded.length; i += 3) {
      if (picture.data[i]! + picture.data[i + 1]! + picture.data[i + 2]! !== 765) continue;
      checked++;
      expect([decoded[i], decoded[i + 1], decoded[i + 2]]).toEqual([255, 255, 255]);
    }
    expect(checked).toBeGreaterThan(20_000);
  });

  it('the product stays above 44 dB and within 4 dB of the common encoder, though a tenth of these blocks touch the white', async () => {
    const picture = await render(
      '<defs><linearGradient id="g"><stop offset="0" stop-color="#843"/><stop offset="1" stop-color="#fc9"/></linearGradient></defs><circle cx="200" cy="200" r="170" fill="url(#g)"/>',
      400,
      400,
    );
    const ours = await sharp(encodeWhiteExact(picture, 92)).raw().toBuffer();
    const common = await sharp(
      await sharp(picture.data, { raw: { width: 400, height: 400, channels: 3 } })
        .jpeg({ quality: 92, chromaSubsampling: '4:4:4' })
        .toBuffer(),
    )
      .raw()
      .toBuffer();
    const psnr = (decoded: Uint8Array): number =>
      10 *
      Math.log10(
        65025 / (decoded.reduce((sum, value, i) => sum + (value - picture.data[i]!) ** 2, 0) / decoded.length),
      );
    expect(psnr(ours)).toBeGreaterThan(44);
    expect(psnr(ours)).toBeGreaterThan(psnr(common) - 4);
  });

  it('noise of every colour survives: the tables carry every symbol', async () => {
    const next = random(5);
    const data = Uint8Array.from({ length: 70 * 50 * 3 }, () => Math.floor(next() * 256));
    const decoded = await sharp(encodeWhiteExact({ data, width: 70, height: 50 }, 100), { failOn: 'warning' })
      .raw()
      .toBuffer();
    const worst = decoded.reduce((most, value, i) => Math.max(most, Math.abs(value - data[i]!)), 0);
    expect(worst).toBeLessThanOrEqual(4);
  });

  it('sizes that are no multiple of 8 keep their size, down to one pixel', async () => {
    for (const [width, height] of [
      [1, 1],
      [9, 7],
      [16, 17],
    ] as const) {
      const data = new Uint8Array(width * height * 3).fill(90);
      const decoded = await sharp(encodeWhiteExact({ data, width, height }, 92))
        .raw()
        .toBuffer({ resolveWithObject: true });
      expect([decoded.info.width, decoded.info.height]).toEqual([width, height]);
      expect(Math.abs(decoded.data[0]! - 90)).toBeLessThanOrEqual(1);
    }
  });

  it('writes 8-bit sRGB without any camera metadata', async () => {
    const { exif, icc, xmp, iptc, space, depth, chromaSubsampling } = await sharp(
      encodeWhiteExact(await render(saturated, 64, 64), 92),
    ).metadata();
    expect([exif, icc, xmp, iptc, space, depth, chromaSubsampling]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      'srgb',
      'uchar',
      '4:4:4',
    ]);
  });
});

it('the cosine transform is orthonormal and undone by its inverse', () => {
  const next = random(3);
  const samples = Float64Array.from({ length: 64 }, () => next() * 255 - 128);
  const block = samples.slice();
  forward(block);
  const energy = (values: Float64Array): number => values.reduce((sum, value) => sum + value * value, 0);
  expect(energy(block)).toBeCloseTo(energy(samples), 6);
  expect(block[0]).toBeCloseTo(samples.reduce((sum, value) => sum + value, 0) / 8, 6);
  inverse(block);
  for (let i = 0; i < 64; i++) expect(block[i]).toBeCloseTo(samples[i]!, 9);
});

it('the integer inverse is the exact one to within a level', () => {
  const next = random(11);
  for (let round = 0; round < 50; round++) {
    const coefficients = Float64Array.from({ length: 64 }, (_, i) => Math.round((next() - 0.5) * (600 / (1 + i))));
    const whole = Int32Array.from(coefficients);
    integerInverse(whole);
    inverse(coefficients);
    for (let i = 0; i < 64; i++) expect(Math.abs(whole[i]! - coefficients[i]!)).toBeLessThan(0.65);
  }
});

it('Huffman codes are prefix-free, at most 16 bits, never all ones, even for frequencies like Fibonacci numbers', () => {
  const frequencies = new Uint32Array(256);
  for (let i = 0, a = 1, b = 1; i < 40; i++, [a, b] = [b, a + b]) frequencies[i * 6] = a;
  const table = huffmanTable(frequencies);
  const codes = [...frequencies.keys()]
    .filter((symbol) => frequencies[symbol]! > 0)
    .map((symbol) => table.code[symbol]!.toString(2).padStart(table.length[symbol]!, '0'));
  expect(codes.length).toBe(40);
  for (const code of codes) {
    expect(code.length).toBeLessThanOrEqual(16);
    expect(code).toContain('0');
    expect(codes.filter((other) => other.startsWith(code))).toEqual([code]);
  }
});
