/** The option `region`: on photos with several products only the one in it comes back. */
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { monotonicClock } from '../../../origin/clock.ts';
import { decode } from '../../../origin/pipeline/decode.ts';
import { checkReduced, reducePhoto } from '../../../origin/pipeline/findings/check-photo.ts';
import { type Infer, type MainImage, makeMainImage } from '../../../origin/pipeline/index.ts';
import { type Options, resolveOptions } from '../../../shared/options.ts';
import { fileOnGreen, greenScreen } from '../../support/green-screen.ts';
import { checkHero } from '../../support/hero-check.ts';
import { loadInfer } from '../../support/infer.ts';
import { type SceneName, sceneOfTwo } from '../../support/scenes.ts';

const optionsOf = (raw: Options) => {
  const options = resolveOptions(raw);
  if (!options.ok) throw new Error(options.failure.detail);
  return options.value;
};
const attempt = (bytes: Uint8Array, raw: Options, infer: Infer = greenScreen) =>
  makeMainImage({ bytes, options: optionsOf(raw), watermark: false }, { decode, infer, clock: monotonicClock });
const made = async (bytes: Uint8Array, raw: Options, infer?: Infer): Promise<MainImage> => {
  const result = await attempt(bytes, raw, infer);
  if (!result.ok) throw new Error(`${result.failure.code}: ${result.failure.detail}`);
  return result.value;
};
const codesOf = ({ findings }: Pick<MainImage, 'findings'>) => findings.map(({ code }) => code);
const alphaOf = async ({ clean }: MainImage) => {
  const { data, info } = await sharp(clean).ensureAlpha().extractChannel(3).raw().toBuffer({ resolveWithObject: true });
  return { data, ...info };
};
const inPlace = { layout: 'original', background: 'transparent', format: 'png' } as const;

/** A tall one on the left, a wide one on the right. */
const two =
  '<rect x="150" y="150" width="400" height="900" fill="#7a3fb0"/><rect x="900" y="500" width="900" height="400" fill="#b03f5a"/>';
const photo = (): Promise<Uint8Array> => fileOnGreen(two, 2000, 1200);
const left = '100,100,500,1000';
const right = '42.5%,37.5%,50%,41.6667%';

describe('the product in the region', () => {
  it('alone is on the main image, which meets the rules', async () => {
    for (const [region, aspect] of [
      [left, 400 / 900],
      [right, 900 / 400],
    ] as const) {
      const image = await made(await photo(), { region });
      const { productBox, amazonCompliant } = image;
      expect(Math.abs(productBox.width / productBox.height / aspect - 1)).toBeLessThan(0.02);
      expect([amazonCompliant, codesOf(image)]).toEqual([true, []]);
      expect(Math.abs((await checkHero(image.clean)).fill - 0.85)).toBeLessThanOrEqual(0.005);
    }
    expect(codesOf(await made(await photo(), {}))).toEqual(['several_products']);
  });

  it('stays where it was in the whole frame with layout original', async () => {
    const { data, width, height } = await alphaOf(await made(await photo(), { ...inPlace, region: right }));
    expect([width, height]).toEqual([2000, 1200]);
    expect([data[700 * 2000 + 1300], data[600 * 2000 + 300]]).toEqual([255, 0]);
  });

  it('is taken from a cut-out that the file carries, too', async () => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="2000" height="1200">${two}</svg>`;
    const cutout = new Uint8Array(await sharp(Buffer.from(svg)).png().toBuffer());
    const image = await made(cutout, { ...inPlace, region: left });
    const { data } = await alphaOf(image);
    expect([data[600 * 2000 + 300], data[700 * 2000 + 1300]]).toEqual([255, 0]);
    expect(codesOf(image)).toEqual([]);
  });

  it('has findings in the pixels of the whole photo, by the check too', async () => {
    const small = '<rect x="1500" y="1000" width="200" height="150" fill="#7a3fb0"/>';
    const bytes = await fileOnGreen(two + small, 2000, 1200);
    const options = { region: '1450,960,300,220', canvas: 2000 };
    const [found] = (await made(bytes, options)).findings;
    expect(found).toMatchObject({ code: 'source_too_small' });
    expect(Math.abs((found?.box?.x ?? 0) - 1500)).toBeLessThan(8);
    const reduced = await reducePhoto(bytes, decode);
    if (!reduced.ok) throw new Error(reduced.failure.detail);
    const report = await checkReduced(reduced.value, optionsOf(options), { infer: greenScreen, readText: undefined });
    expect(report.ok && codesOf(report.value)).toEqual(['source_too_small']);
    expect(Math.abs((report.ok ? (report.value.product_box?.y ?? 0) : 0) - 1000)).toBeLessThan(8);
  });
});

describe('a region', () => {
  it('drawn across the product cuts it, and says so', async () => {
    const image = await made(await photo(), { region: '1000,450,900,500', canvas: 1000 });
    expect(image.findings).toMatchObject([{ code: 'product_cropped', severity: 'required' }]);
    expect(image.findings[0]?.detail).toContain('The region cuts the product at the left');
    expect(await attempt(await photo(), { region: '1000,450,900,500', on_finding: 'fail' })).toMatchObject({
      failure: { code: 'product_cropped' },
    });
  });

  it('drawn a little too tight cuts nothing', async () => {
    const image = await made(await photo(), { region: '160,160,380,880' });
    expect(codesOf(image)).toEqual([]);
    expect(image.productBox.width / image.productBox.height).toBeCloseTo(400 / 900, 1);
  });

  it('without a product fails as a photo without one, and one outside of the photo as a wrong option', async () => {
    expect(await attempt(await photo(), { region: '1500,50,300,300' })).toMatchObject({
      failure: { code: 'no_product_found' },
    });
    expect(await attempt(await photo(), { region: '1500,50,600,300' })).toMatchObject({
      failure: { code: 'invalid_options' },
    });
  });
});

const pairs: readonly (readonly [SceneName, SceneName, 0 | 1])[] = [
  ['mug', 'shoe', 1],
  ['chair', 'bottle', 0],
  ['bag', 'white-cup', 0],
];

describe.each(pairs)('with the model, of a %s and a %s', (first, second, chosen) => {
  it('only the chosen one comes back: IoU above 0.95, nothing of the other', async () => {
    const { infer } = await loadInfer();
    const { rgb, width, height, alphas } = await sceneOfTwo([first, second], { room: 'studio' });
    const png = await sharp(rgb, { raw: { width, height, channels: 3 } })
      .png()
      .toBuffer();
    const region = chosen === 0 ? '5%,10%,45%,80%' : '50%,10%,45%,80%';
    const { data } = await alphaOf(await made(new Uint8Array(png), { ...inPlace, region }, infer));
    const [wanted, other] = [alphas[chosen], alphas[1 - chosen]!];
    let [both, either, ofOther] = [0, 0, 0];
    data.forEach((alpha, i) => {
      const [isFound, isWanted] = [alpha > 127, wanted[i]! > 127];
      if (isFound && isWanted) both++;
      if (isFound || isWanted) either++;
      if (isFound && !isWanted && other[i]! > 127) ofOther++;
    });
    expect(both / either).toBeGreaterThan(0.95);
    expect(ofOther).toBe(0);
  });
});
