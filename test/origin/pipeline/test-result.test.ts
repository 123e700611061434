import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { decode } from '../../../origin/pipeline/decode.ts';
import { type MainImage, makeMainImage } from '../../../origin/pipeline/index.ts';
import { limits } from '../../../shared/limits.ts';
import { type Options, resolveOptions } from '../../../shared/options.ts';
import { fileOnGreen, greenScreen } from '../../support/green-screen.ts';

/** A cup with a pattern that no neighbour's colour tells. */
const cup = (colour: string): string =>
  `<defs><pattern id="p" width="40" height="34" patternUnits="userSpaceOnUse"><circle cx="17" cy="15" r="12" fill="#f3e2b3"/></pattern></defs>
   <path d="M120 60h320l-30 330h-260z" fill="${colour}"/><path d="M120 60h320l-30 330h-260z" fill="url(#p)"/>`;
const photo = (colour = '#27408b', width = 600, height = 450): Promise<Uint8Array> =>
  fileOnGreen(cup(colour), width, height);

const make = async (bytes: Uint8Array, raw: Options, watermark: boolean): Promise<MainImage> => {
  const options = resolveOptions(raw);
  if (!options.ok) throw new Error(options.failure.detail);
  const clock = { nowMs: () => 0 };
  const result = await makeMainImage(
    { bytes, options: options.value, watermark },
    { decode, infer: greenScreen, clock },
  );
  if (!result.ok) throw new Error(result.failure.code);
  return result.value;
};
const live = (bytes: Uint8Array, raw: Options = {}) => make(bytes, raw, false);
const test = (bytes: Uint8Array, raw: Options = {}) => make(bytes, raw, true);

const SIDE = limits.testResult.sideMax;
const rgbOf = (file: Uint8Array): Promise<Buffer> =>
  sharp(file).flatten({ background: '#fff' }).resize(SIDE, SIDE, { fit: 'fill' }).raw().toBuffer();
const meanDifference = (a: Uint8Array, b: Uint8Array): number =>
  a.reduce((sum, value, i) => sum + Math.abs(value - b[i]!), 0) / a.length;
const png = { format: 'png', canvas: 1000 } as const;

describe('the result of a test key', () => {
  it.each<[string, Options]>([
    ['JPEG on white', { canvas: 1000 }],
    ['JPEG on a colour', { canvas: 1000, background: '#1e90ff' }],
    ['PNG with a shadow', { ...png, shadow: 'soft' }],
    ['PNG, transparent', { ...png, background: 'transparent' }],
    ['WebP, transparent', { ...png, format: 'webp', background: 'transparent' }],
    ['WebP, original framing', { layout: 'original', format: 'webp' }],
    ['PNG, original framing, transparent', { layout: 'original', format: 'png', background: 'transparent' }],
    ['JPEG, original framing', { layout: 'original' }],
    ['JPEG of a marketplace of its own canvas', { marketplace: 'google' }],
  ])('is small and marked, and the measurements are the live one’s: %s', async (_, options) => {
    const bytes = await photo();
    const [full, reduced] = [await live(bytes, options), await test(bytes, options)];
    const [file, preview] = [await sharp(reduced.clean).metadata(), await sharp(reduced.preview).metadata()];
    expect(Math.max(file.width, file.height)).toBe(SIDE);
    expect(file.width / file.height).toBeCloseTo(full.width / full.height, 2);
    expect([reduced.width, reduced.height]).toEqual([file.width, file.height]);
    expect(Math.max(preview.width, preview.height)).toBeLessThanOrEqual(SIDE);
    expect([reduced.cleanType, reduced.previewType, file.hasAlpha]).toEqual([
      full.cleanType,
      full.previewType,
      options.background === 'transparent',
    ]);
    expect([reduced.productBox, reduced.compliance, reduced.amazonCompliant, reduced.upscaled]).toEqual([
      full.productBox,
      full.compliance,
      full.amazonCompliant,
      full.upscaled,
    ]);
    for (const side of ['clean', 'preview'] as const)
      expect(meanDifference(await rgbOf(full[side]), await rgbOf(reduced[side])), side).toBeGreaterThan(15);
  });

  it('is not enlarged where the photo is smaller', async () => {
    const reduced = await test(await fileOnGreen('<circle cx="150" cy="100" r="70" fill="#c0392b"/>', 300, 200), {
      layout: 'original',
    });
    expect([reduced.width, reduced.height]).toEqual([300, 200]);
  });

  it('has the same bytes when a job is run again', async () => {
    const bytes = await photo();
    const [first, again] = [await test(bytes, png), await test(bytes.slice(), png)];
    expect(again.clean).toEqual(first.clean);
    expect(again.preview).toEqual(first.preview);
  });

  it('keeps its mark when the background changes, so that two of them show no more than one', async () => {
    const bytes = await photo();
    const results = await Promise.all(
      ['#ffffff', '#000000'].map(async (background) => rgbOf((await test(bytes, { ...png, background })).clean)),
    );
    const whole = await rgbOf((await live(bytes, png)).clean);
    // What is equal on white and on black is product or plate; with plates taken for product, a third of it is wrong.
    const equal = Array.from({ length: SIDE * SIDE }, (_, i) => i).filter((i) =>
      [0, 1, 2].every((c) => results[0]![i * 3 + c] === results[1]![i * 3 + c]),
    );
    const wrong = equal.filter((i) =>
      [0, 1, 2].some((c) => Math.abs(results[0]![i * 3 + c]! - whole[i * 3 + c]!) > 30),
    );
    expect(wrong.length / equal.length).toBeGreaterThan(0.3);
  });
});

describe('a mark cannot be taken off', () => {
  it('by subtracting what it did to a photo whose live result was bought', async () => {
    const [bought, wanted] = [await photo('#27408b'), await photo('#8b2740')];
    const [boughtLive, boughtTest, wantedLive, wantedTest] = await Promise.all(
      [live(bought, png), test(bought, png), live(wanted, png), test(wanted, png)].map(async (made) =>
        rgbOf((await made).clean),
      ),
    );
    const restored = Buffer.from(
      wantedTest!.map((value, i) => Math.min(255, Math.max(0, value - (boughtTest![i]! - boughtLive![i]!)))),
    );
    const [asIs, attacked] = [meanDifference(wantedTest!, wantedLive!), meanDifference(restored, wantedLive!)];
    expect(asIs).toBeGreaterThan(25);
    expect(attacked).toBeGreaterThan(asIs);
  });

  it('by subtracting one test result of a photo from another of nearly the same photo', async () => {
    const [a, b] = [
      await photo(),
      await fileOnGreen(`${cup('#27408b')}<rect width="1" height="1" fill="#15c83c"/>`, 600, 450),
    ];
    const [first, second] = [await rgbOf((await test(a, png)).clean), await rgbOf((await test(b, png)).clean)];
    expect(meanDifference(first, second)).toBeGreaterThan(20);
    // Of the pixels where both agree, many are marked in both: agreement does not tell product from plate.
    const whole = await rgbOf((await live(a, png)).clean);
    const inBoth = Array.from({ length: SIDE * SIDE }, (_, i) => i * 3).filter((at) =>
      [first, second].every((mark) => [0, 1, 2].some((c) => Math.abs(mark[at + c]! - whole[at + c]!) > 30)),
    );
    expect(inBoth.length / (SIDE * SIDE)).toBeGreaterThan(0.04);
  });
});
