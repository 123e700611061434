/** The part `matte`: the caller says what is product, and the pipeline keeps to that. */
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { monotonicClock } from '../../../origin/clock.ts';
import { decode } from '../../../origin/pipeline/decode.ts';
import { decodeMatte } from '../../../origin/pipeline/decode-matte.ts';
import { type Infer, type MainImage, makeMainImage } from '../../../origin/pipeline/index.ts';
import { type Options, resolveOptions } from '../../../shared/options.ts';
import { checkHero } from '../../support/hero-check.ts';
import { loadInfer } from '../../support/infer.ts';
import { type SceneName, sceneOfTwo, sceneWithTruth } from '../../support/scenes.ts';

const neverAsked: Infer = async () => {
  throw new Error('the model was asked');
};
type Size = { readonly width: number; readonly height: number };
const attempt = (bytes: Uint8Array, matte: Uint8Array | undefined, raw: Options = {}, infer = neverAsked) => {
  const options = resolveOptions(raw);
  if (!options.ok) throw new Error(options.failure.detail);
  const input = { bytes, matte, options: options.value, watermark: false };
  return makeMainImage(input, { decode, decodeMatte, infer, clock: monotonicClock });
};
const made = async (...given: Parameters<typeof attempt>): Promise<MainImage> => {
  const result = await attempt(...given);
  if (!result.ok) throw new Error(`${result.failure.code}: ${result.failure.detail}`);
  return result.value;
};
const codeOf = async (...given: Parameters<typeof attempt>): Promise<string> => {
  const result = await attempt(...given);
  return result.ok ? 'made' : result.failure.code;
};
const codesOf = ({ findings }: MainImage) => findings.map(({ code }) => code);

const inPlace = { layout: 'original', background: 'transparent', format: 'png' } as const;
const pngOf = async (data: Uint8Array, { width, height }: Size, channels: 1 | 3 | 4 = 1): Promise<Uint8Array> => {
  const picture = sharp(data, { raw: { width, height, channels } });
  return new Uint8Array(await (channels === 1 ? picture.toColourspace('b-w') : picture).png().toBuffer());
};
const resized = async (matte: Uint8Array, { width, height }: Size, side: number): Promise<Uint8Array> => {
  const plane = await sharp(matte, { raw: { width, height, channels: 1 } })
    .resize({ width: side, height: Math.round((side * height) / width), fit: 'fill' })
    .extractChannel(0)
    .raw()
    .toBuffer({ resolveWithObject: true });
  return pngOf(plane.data, plane.info);
};
const alphaOf = async ({ clean }: MainImage): Promise<Uint8Array> =>
  sharp(clean).ensureAlpha().extractChannel(3).raw().toBuffer();

/** How well a result keeps to the truth: IoU at one half, and the mean error over all pixels, of 255. */
const comparedWith = (truth: Uint8Array, alpha: Uint8Array) => {
  let [both, either, error] = [0, 0, 0];
  alpha.forEach((found, i) => {
    if (found > 127 && truth[i]! > 127) both++;
    if (found > 127 || truth[i]! > 127) either++;
    error += Math.abs(found - truth[i]!);
  });
  return { iou: both / either, error: error / alpha.length };
};
const told = (what: string, { iou, error }: ReturnType<typeof comparedWith>): void =>
  console.info(`${what}: IoU ${iou.toFixed(4)}, mean error ${error.toFixed(2)} of 255`);

const half: Size = { width: 300, height: 200 };
const plain = (): Promise<Uint8Array> =>
  pngOf(
    Uint8Array.from({ length: 300 * 200 * 3 }, (_, i) => 60 + ((i * 7919) % 97)),
    half,
    3,
  );
const matteOf = (isProduct: (x: number, y: number) => boolean, { width, height }: Size = half): Uint8Array =>
  Uint8Array.from({ length: width * height }, (_, i) => (isProduct(i % width, Math.floor(i / width)) ? 255 : 0));
const box = matteOf((x, y) => x >= 50 && x < 250 && y >= 50 && y < 150);

describe('a matte that removes one of two products', () => {
  const pairs: readonly (readonly [SceneName, SceneName])[] = [
    ['mug', 'shoe'],
    ['bottle', 'chair'],
  ];
  it.each(pairs)('leaves the %s alone, whole, and nothing of the %s', async (...names) => {
    const { rgb, alphas, ...size } = await sceneOfTwo(names, { room: 'studio' });
    const photo = await pngOf(rgb, size, 3);
    const { infer } = await loadInfer();
    const before = await alphaOf(await made(photo, undefined, inPlace, infer));
    const kept = await made(photo, await resized(alphas[0], size, 800), inPlace);
    const alpha = await alphaOf(kept);
    const result = comparedWith(alphas[0], alpha);
    told(`${names[0]} without ${names[1]}`, result);
    expect(comparedWith(alphas[0], before).iou).toBeLessThan(0.9);
    expect(result.iou).toBeGreaterThan(0.98);
    expect(alphas[1].filter((of, i) => of > 127 && alpha[i]! > 0)).toHaveLength(0);
    expect([kept.matteConfidence, codesOf(kept)]).toEqual([1, []]);
  });
});

describe('a matte that keeps what the model drops', () => {
  it('has it in the result: a label beside the product, of the colour of the wall', async () => {
    const { rgb, alpha: product, foreground: _own, ...size } = await sceneWithTruth('mug', { scale: 0.6 });
    const truth = product.slice();
    for (let y = 60; y < 200; y++) truth.fill(255, y * size.width + 60, y * size.width + 260);
    const photo = await pngOf(rgb, size, 3);
    const { infer } = await loadInfer();
    const model = comparedWith(truth, await alphaOf(await made(photo, undefined, inPlace, infer)));
    const alpha = await alphaOf(await made(photo, await pngOf(truth, size), inPlace));
    const result = comparedWith(truth, alpha);
    told('by the model', model);
    told('by the matte', result);
    expect(result.iou).toBeGreaterThan(0.99);
    expect(result.iou).toBeGreaterThan(model.iou + 0.05);
    expect(alpha[130 * size.width + 160]).toBe(255);
  });
});

describe('a stroke', () => {
  it('is not undone: what is 0 or 255 in the matte is that in the result, through a product and beside it', async () => {
    const { rgb, alpha: product, foreground: _own, ...size } = await sceneWithTruth('shoe');
    const stroked = product.slice();
    const [middle, width] = [Math.round(size.height / 2), size.width];
    for (let y = middle - 8; y < middle + 8; y++) stroked.fill(0, y * width, (y + 1) * width);
    const image = await made(await pngOf(rgb, size, 3), await pngOf(stroked, size), inPlace);
    const alpha = await alphaOf(image);
    let changed = 0;
    stroked.forEach((wanted, i) => {
      if ((wanted === 0 || wanted === 255) && alpha[i] !== wanted) changed++;
    });
    told('with a stroke', comparedWith(stroked, alpha));
    expect(changed).toBe(0);
  });

  it.each([256, 512, 1024])('is found again at its place from a matte of %i pixels', async (side) => {
    const { rgb, alpha: truth, foreground: _own, ...size } = await sceneWithTruth('mug', { width: 1600 });
    const hard = truth.map((alpha) => (alpha > 127 ? 255 : 0));
    const image = await made(await pngOf(rgb, size, 3), await resized(hard, size, side), inPlace);
    const result = comparedWith(truth, await alphaOf(image));
    told(`matte of ${side} px`, result);
    expect(result.iou).toBeGreaterThan(side === 256 ? 0.98 : 0.99);
  });
});

describe('the main image of a matte', () => {
  it('is framed, white and compliant as any other', async () => {
    const { rgb, alpha, foreground: _own, ...size } = await sceneWithTruth('bag', { width: 2400 });
    const image = await made(await pngOf(rgb, size, 3), await resized(alpha, size, 1200));
    expect(image.amazonCompliant).toBe(true);
    expect(Math.abs((await checkHero(image.clean)).fill - 0.85)).toBeLessThanOrEqual(0.005);
  });

  it('of a turned photo lies as the photo is shown', async () => {
    const turned = await sharp(await plain())
      .withMetadata({ orientation: 6 })
      .png()
      .toBuffer();
    const upright = { width: 200, height: 300 };
    const matte = matteOf((_x, y) => y >= 40 && y < 140, upright);
    const alpha = await alphaOf(await made(new Uint8Array(turned), await pngOf(matte, upright), inPlace));
    expect([alpha[90 * 200 + 100], alpha[220 * 200 + 100]]).toEqual([255, 0]);
    expect(await codeOf(new Uint8Array(turned), await pngOf(box, half))).toBe('invalid_matte');
  });

  it('of a photo that brings a cut-out takes away and adds nothing', async () => {
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="200"><rect x="20" y="20" width="130" height="160" fill="#a33"/></svg>';
    const cutout = new Uint8Array(await sharp(Buffer.from(svg)).png().toBuffer());
    const alpha = await alphaOf(await made(cutout, await pngOf(box, half), inPlace));
    const at = (x: number, y: number) => alpha[y * 300 + x];
    expect([at(100, 100), at(30, 100), at(200, 100)]).toEqual([255, 0, 0]);
  });

  it('with specks too small to be seen is framed by what is seen, at a bounded size', async () => {
    const size = { width: 3000, height: 2000 };
    const photo = await pngOf(new Uint8Array(3000 * 2000 * 3).fill(120), size, 3);
    const isSpeck = (x: number, y: number) => (x === 0 && y === 0) || (x === 2999 && y === 1999);
    const matte = matteOf((x, y) => isSpeck(x, y) || (Math.abs(x - 1500) < 20 && Math.abs(y - 1000) < 20), size);
    const image = await made(photo, await pngOf(matte, size), { canvas: 500 });
    expect(Math.abs((await checkHero(image.clean)).fill - 0.85)).toBeLessThanOrEqual(0.01);
  });
});

describe('the file of a matte', () => {
  const rgba = (colour: number, alpha: (i: number) => number): Uint8Array =>
    Uint8Array.from({ length: 300 * 200 * 4 }, (_, i) => (i % 4 === 3 ? alpha(i >> 2) : colour));
  const grey = (): Promise<Uint8Array> => pngOf(box, half);

  it('is grey, grey in three channels, or an alpha channel: all say the same', async () => {
    const three = Uint8Array.from({ length: box.length * 3 }, (_, i) => box[Math.floor(i / 3)]!);
    const files = [
      await grey(),
      await pngOf(three, half, 3),
      await pngOf(
        rgba(9, (i) => box[i]!),
        half,
        4,
      ),
    ];
    const planes = await Promise.all(files.map((file) => decodeMatte(file, half)));
    for (const plane of planes) expect(plane.ok && Buffer.compare(plane.value.data, box)).toBe(0);
  });

  it('is refused, with what is wrong, where it cannot be meant', async () => {
    const large = { width: 600, height: 400 };
    const cases: readonly (readonly [string, Uint8Array, RegExp])[] = [
      [
        'another shape',
        await pngOf(
          matteOf(() => true, { width: 200, height: 200 }),
          { width: 200, height: 200 },
        ),
        /200 × 200 pixels and the photo, as it is shown, 300 × 200/,
      ],
      [
        'larger',
        await pngOf(
          matteOf(() => true, large),
          large,
        ),
        /600 × 400 .* no larger/,
      ],
      [
        'too small',
        await pngOf(
          matteOf(() => true, { width: 12, height: 8 }),
          { width: 12, height: 8 },
        ),
        /at least 16 a side/,
      ],
      ['in colour', await plain(), /in colour/],
      [
        'opaque',
        await pngOf(
          rgba(0, () => 255),
          half,
          4,
        ),
        /opaque everywhere/,
      ],
      [
        '16 bits',
        new Uint8Array(
          await sharp(box, { raw: { ...half, channels: 1 } })
            .toColourspace('grey16')
            .png()
            .toBuffer(),
        ),
        /8 bits/,
      ],
      [
        'a JPEG',
        new Uint8Array(
          await sharp(await grey())
            .jpeg()
            .toBuffer(),
        ),
        /not a PNG/,
      ],
      [
        'cut off',
        (
          await pngOf(
            Uint8Array.from(box, (v, i) => v ^ ((i * 31) % 7)),
            half,
          )
        ).slice(0, 400),
        /damaged or cut off/,
      ],
      ['nothing', new Uint8Array(), /not a PNG/],
    ];
    for (const [what, file, detail] of cases) {
      const plane = await decodeMatte(file, half);
      expect(plane.ok ? what : plane.failure, what).toMatchObject({
        code: 'invalid_matte',
        detail: expect.stringMatching(detail),
      });
    }
  });

  it('may differ from the shape of the photo by rounding, a pixel', async () => {
    const size = { width: 100, height: 66 };
    expect(
      (
        await decodeMatte(
          await pngOf(
            matteOf(() => true, size),
            size,
          ),
          { width: 301, height: 201 },
        )
      ).ok,
    ).toBe(true);
    const further = { width: 100, height: 69 };
    expect(
      (
        await decodeMatte(
          await pngOf(
            matteOf(() => true, further),
            further,
          ),
          { width: 301, height: 201 },
        )
      ).ok,
    ).toBe(false);
  });

  it('that keeps nothing, or next to nothing, is no product', async () => {
    const dot = matteOf((x, y) => x < 9 && y < 9);
    expect(
      await codeOf(
        await plain(),
        await pngOf(
          box.map(() => 0),
          half,
        ),
      ),
    ).toBe('no_product_found');
    expect(
      await codeOf(
        await plain(),
        await pngOf(
          box.map(() => 20),
          half,
        ),
      ),
    ).toBe('no_product_found');
    expect(await codeOf(await plain(), await pngOf(dot, half))).toBe('no_product_found');
  });
});
