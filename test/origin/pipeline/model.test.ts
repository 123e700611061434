/** The pipeline with the real model on rendered scenes, whose mattes and colours are known exactly. */
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { monotonicClock } from '../../../origin/clock.ts';
import { decode } from '../../../origin/pipeline/decode.ts';
import { type Infer, type MainImage, makeMainImage } from '../../../origin/pipeline/index.ts';
import { type Options, resolveOptions } from '../../../shared/options.ts';
import { checkHero } from '../../support/hero-check.ts';
import { loadInfer } from '../../support/infer.ts';
import { renderEmpty, renderScene, type Scene, sceneNames, sceneWithTruth } from '../../support/scenes.ts';

let infer: Infer;
let runs: () => string[];
beforeAll(async () => {
  ({ infer, runs } = await loadInfer());
});

const attempt = (bytes: Uint8Array, raw: Options) => {
  const options = resolveOptions(raw);
  if (!options.ok) throw new Error(options.failure.detail);
  return makeMainImage({ bytes, options: options.value, watermark: false }, { decode, infer, clock: monotonicClock });
};
const mainImageOf = async (bytes: Uint8Array, raw: Options = {}): Promise<MainImage> => {
  const result = await attempt(bytes, raw);
  if (!result.ok) throw new Error(`${result.failure.code}: ${result.failure.detail}`);
  return result.value;
};
const png = async ({ rgb, width, height }: Scene): Promise<Uint8Array> =>
  new Uint8Array(
    await sharp(rgb, { raw: { width, height, channels: 3 } })
      .png()
      .toBuffer(),
  );
const cutout = { layout: 'original', background: 'transparent', format: 'png' } as const;

describe.each(sceneNames)('%s', (name) => {
  it('is found: IoU above 0.95, and its main image passes every check', async () => {
    const scene = await sceneWithTruth(name);
    const rgba = await sharp((await mainImageOf(await png(scene), cutout)).clean)
      .raw()
      .toBuffer();
    let both = 0;
    let either = 0;
    for (let i = 0; i < scene.alpha.length; i++) {
      const [found, wanted] = [rgba[i * 4 + 3]! > 127, scene.alpha[i]! > 127];
      if (found && wanted) both++;
      if (found || wanted) either++;
    }
    expect(both / either).toBeGreaterThan(0.95);
    const output = await mainImageOf(await renderScene(name));
    const check = await checkHero(output.clean);
    expect(Math.abs(check.fill - 0.85)).toBeLessThanOrEqual(0.005);
    expect([check.cornersWhite, output.amazonCompliant]).toEqual([true, true]);
    expect(output.matteConfidence).toBeGreaterThan(0.8);
  });
});

/** On pixels that mix the two, how far the colours are from the product's own, beside how far the photo's were. */
const edgeErrors = async (scene: Scene): Promise<{ photo: number; ours: number }> => {
  const rgba = await sharp((await mainImageOf(await png(scene), cutout)).clean)
    .raw()
    .toBuffer();
  const sums = { photo: 0, ours: 0, count: 0 };
  for (let i = 0; i < scene.alpha.length; i++) {
    const [a, found] = [scene.alpha[i]!, rgba[i * 4 + 3]!];
    if (a < 40 || a > 215 || found < 40) continue;
    sums.count++;
    for (let c = 0; c < 3; c++) {
      sums.photo += Math.abs(scene.rgb[i * 3 + c]! - scene.foreground[i * 3 + c]!);
      sums.ours += Math.abs(rgba[i * 4 + c]! - scene.foreground[i * 3 + c]!);
    }
  }
  expect(sums.count).toBeGreaterThan(500);
  return { photo: sums.photo / sums.count / 3, ours: sums.ours / sums.count / 3 };
};

describe('edges', () => {
  it.each(['mug', 'bag'] as const)(
    "%s: nothing of the old background is left in the edge: colours at least twice as near to the product's own",
    async (name) => {
      const { photo, ours } = await edgeErrors(await sceneWithTruth(name));
      expect(ours).toBeLessThan(photo / 2);
    },
  );

  it('the hole of a handle and the room between the legs of a chair stay open', async () => {
    for (const [name, x, y] of [
      ['mug', 845, 500],
      ['chair', 590, 770],
      ['bag', 600, 260],
    ] as const) {
      const scene = await sceneWithTruth(name);
      expect(scene.alpha[y * scene.width + x], `${name} has a hole there`).toBe(0);
      const { data, info } = await sharp((await mainImageOf(await png(scene), cutout)).clean)
        .raw()
        .toBuffer({ resolveWithObject: true });
      expect(data[(y * info.width + x) * 4 + 3], name).toBe(0);
    }
  });

  it('a white cup on white is found and its file is white around it', async () => {
    const output = await mainImageOf(await renderScene('white-cup'));
    expect(output.compliance.checks.filter((check) => !check.passed)).toEqual([]);
  });
});

describe('what holds no product', () => {
  it.each(['plain', 'gradient', 'noise', 'weave'] as const)('%s', async (kind) => {
    const result = await attempt(await renderEmpty(kind), {});
    expect(result.ok ? 'a product' : result.failure.code).toBe('no_product_found');
  });
});

it('a third pass runs for a product that is small in the frame, and only there', async () => {
  const before = runs().length;
  await mainImageOf(await renderScene('mug', { scale: 0.35 }));
  expect(runs().length - before).toBe(3);
  await mainImageOf(await renderScene('mug', { scale: 1.15 }));
  expect(runs().length - before).toBe(5);
});
