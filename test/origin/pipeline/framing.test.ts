import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { monotonicClock } from '../../../origin/clock.ts';
import { decode } from '../../../origin/pipeline/decode.ts';
import { type MainImage, makeMainImage } from '../../../origin/pipeline/index.ts';
import { type Options, resolveOptions } from '../../../shared/options.ts';
import { fileOnGreen, greenScreen } from '../../support/green-screen.ts';
import { checkHero } from '../../support/hero-check.ts';

const mainImageOf = async (bytes: Uint8Array, raw: Options = {}, watermark = false): Promise<MainImage> => {
  const options = resolveOptions(raw);
  if (!options.ok) throw new Error(options.failure.detail);
  const result = await makeMainImage(
    { bytes, options: options.value, watermark },
    { decode, infer: greenScreen, clock: monotonicClock },
  );
  if (!result.ok) throw new Error(`${result.failure.code}: ${result.failure.detail}`);
  return result.value;
};

const disc = '<circle cx="300" cy="200" r="120" fill="#c0392b"/>';
const shapes: readonly (readonly [string, string, number, number])[] = [
  ['a disc', disc, 600, 400],
  ['a small product in a corner', '<rect x="20" y="30" width="60" height="45" fill="#225"/>', 900, 700],
  ['a tall thin product', '<rect x="390" y="40" width="14" height="620" rx="5" fill="#a33"/>', 800, 700],
  ['a wide thin product', '<rect x="40" y="300" width="720" height="16" rx="6" fill="#333"/>', 800, 640],
  ['a product cut by the frame', '<circle cx="0" cy="260" r="200" fill="#7a4fb0"/>', 640, 520],
  ['a product that fills the frame', '<ellipse cx="350" cy="250" rx="349" ry="249" fill="#d0a020"/>', 700, 500],
  ['a large photo', '<path d="M700 300L2300 420L1900 1500L820 1600Z" fill="#3c5aa8"/>', 3000, 2000],
  ['a blown-out white product', '<rect x="150" y="120" width="300" height="210" rx="30" fill="#fff"/>', 600, 440],
];

describe('on the decoded file, the product fills 0.85 ± 0.005 and is centred within 1 px, and all else is exactly white', () => {
  it.each(shapes)('%s', async (_, svg, width, height) => {
    const output = await mainImageOf(await fileOnGreen(svg, width, height));
    const check = await checkHero(output.clean);
    expect(check.fill).toBeGreaterThanOrEqual(0.845);
    expect(check.fill).toBeLessThanOrEqual(0.855);
    expect(check.offCentre.x).toBeLessThanOrEqual(1);
    expect(check.offCentre.y).toBeLessThanOrEqual(1);
    expect(check.cornersWhite).toBe(true);
    expect(check.box).toEqual(output.productBox);
    expect([check.width, check.height, check.format, check.space, check.hasExif]).toEqual([
      2000,
      2000,
      'jpeg',
      'srgb',
      false,
    ]);
    expect(output.amazonCompliant).toBe(true);
    expect(output.compliance.passed).toBe(true);
  });

  it.each([
    [{ canvas: 1000 }, 0.85],
    [{ canvas: 1999, fill: 0.5 }, 0.5],
    [{ canvas: 500, fill: 1 }, 1],
    [{ format: 'png' }, 0.85],
    [{ format: 'webp', quality: 100 }, 0.85],
    [{ quality: 60 }, 0.85],
  ] as const)('with %o', async (options, fill) => {
    const output = await mainImageOf(await fileOnGreen(disc, 600, 400), options);
    const side = 'canvas' in options ? options.canvas : 2000;
    expect([output.width, output.height]).toEqual([side, side]);
    expect(Math.abs(Math.max(output.productBox.width, output.productBox.height) / side - fill)).toBeLessThanOrEqual(
      0.005,
    );
    expect(Math.abs(output.productBox.x + output.productBox.width / 2 - side / 2)).toBeLessThanOrEqual(1);
    expect(Math.abs(output.productBox.y + output.productBox.height / 2 - side / 2)).toBeLessThanOrEqual(1);
  });
});

describe('the answer tells the truth about the file', () => {
  it('upscaled says whether the product was enlarged', async () => {
    expect((await mainImageOf(await fileOnGreen(disc, 600, 400))).upscaled).toBe(true);
    expect(
      (await mainImageOf(await fileOnGreen('<circle cx="1200" cy="1200" r="1100" fill="#a33"/>', 2400, 2400))).upscaled,
    ).toBe(false);
  });

  it('a soft shadow lies below the product: not the specified white, tolerated by amazon, refused by walmart', async () => {
    const file = await fileOnGreen(disc, 600, 400);
    const [plain, shaded] = [await mainImageOf(file), await mainImageOf(file, { shadow: 'soft' })];
    const rule = shaded.compliance.checks.find((check) => check.rule === 'background_white');
    expect([shaded.amazonCompliant, rule?.passed, shaded.compliance.passed]).toEqual([false, true, true]);
    const strict = await mainImageOf(file, { shadow: 'soft', marketplace: 'walmart' });
    const refused = strict.compliance.checks.find((check) => check.rule === 'background_white');
    expect([refused?.severity, refused?.passed, strict.compliance.passed]).toEqual(['required', false, false]);
    expect(shaded.productBox).toEqual(plain.productBox);
    const below = await pixel(shaded.clean, 1000, plain.productBox.y + plain.productBox.height + 4);
    expect(below[0]).toBeLessThan(235);
    expect(await pixel(shaded.clean, 1000, plain.productBox.y - 12)).toEqual([255, 255, 255]);
  });

  it("a test key's mark is seen on canvas and product, and its measurements are those of the live key's file", async () => {
    const file = await fileOnGreen(disc, 600, 400);
    const [plain, marked] = [
      await mainImageOf(file, { format: 'png' }),
      await mainImageOf(file, { format: 'png' }, true),
    ];
    expect([plain.amazonCompliant, marked.amazonCompliant]).toEqual([true, true]);
    const differing = async (left: number, top: number): Promise<number> => {
      const part = async (bytes: Uint8Array) =>
        sharp(await sharp(bytes).resize(512, 512).png().toBuffer())
          .extract({ left, top, width: 154, height: 154 })
          .raw()
          .toBuffer();
      const [a, b] = [await part(plain.clean), await part(marked.clean)];
      return a.reduce((count, value, i) => count + (Math.abs(value - b[i]!) > 15 ? 1 : 0), 0) / a.length;
    };
    expect(await differing(0, 0)).toBeGreaterThan(0.02);
    expect(await differing(179, 179)).toBeGreaterThan(0.02);
  });

  it('a coloured background is that colour, and not white', async () => {
    const output = await mainImageOf(await fileOnGreen(disc, 600, 400), { background: '#1e90ff', format: 'png' });
    expect(await pixel(output.clean, 3, 3)).toEqual([0x1e, 0x90, 0xff]);
    expect(output.amazonCompliant).toBe(false);
    expect(Math.abs(output.productBox.width - 1700)).toBeLessThanOrEqual(10);
  });

  it('etsy asks for no white: a soft grey passes there and fails at amazon', async () => {
    const output = await mainImageOf(await fileOnGreen(disc, 600, 400), { marketplace: 'etsy', background: '#f4f4f4' });
    expect([output.compliance.marketplace, output.compliance.passed, output.amazonCompliant]).toEqual([
      'etsy',
      true,
      false,
    ]);
  });

  it('layout original keeps the framing; transparent gives the full-frame cut-out', async () => {
    const output = await mainImageOf(await fileOnGreen(disc, 600, 400), {
      layout: 'original',
      background: 'transparent',
      format: 'png',
    });
    expect([output.width, output.height, output.cleanType, output.previewType]).toEqual([
      600,
      400,
      'image/png',
      'image/png',
    ]);
    expect((await pixel(output.clean, 300, 200))[3]).toBe(255);
    expect((await pixel(output.clean, 30, 30))[3]).toBe(0);
    expect(Math.abs(output.productBox.x - 180)).toBeLessThanOrEqual(1);
    expect(Math.abs(output.productBox.width - 240)).toBeLessThanOrEqual(2);
    expect(output.amazonCompliant).toBe(false);
  });

  it('the preview is small and of the same picture', async () => {
    const output = await mainImageOf(await fileOnGreen(disc, 600, 400));
    const { width, height, format } = await sharp(output.preview).metadata();
    expect([width, height, format, output.previewType]).toEqual([512, 512, 'jpeg', 'image/jpeg']);
    expect((await pixel(output.preview, 256, 256))[0]).toBeGreaterThan(
      (await pixel(output.preview, 256, 256))[2]! + 60,
    );
  });
});

describe('a file that is a cut-out already', () => {
  it('keeps its alpha and its colours', async () => {
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" width="900" height="900"><circle cx="450" cy="450" r="300" fill="#208040"/><circle cx="450" cy="450" r="120" fill="#208040" fill-opacity="0"/></svg>';
    const file = new Uint8Array(
      await sharp(Buffer.from(svg.replace('<circle cx="450" cy="450" r="120" fill="#208040" fill-opacity="0"/>', '')))
        .png()
        .toBuffer(),
    );
    const output = await makeMainImage(
      {
        bytes: file,
        options: optionsOf({ layout: 'original', background: 'transparent', format: 'png' }),
        watermark: false,
      },
      {
        infer: async () => {
          throw new Error('the model is not asked');
        },
        decode,
        clock: { nowMs: () => 0 },
      },
    );
    if (!output.ok) throw new Error(output.failure.code);
    const [before, after] = [await sharp(file).raw().toBuffer(), await sharp(output.value.clean).raw().toBuffer()];
    for (let i = 0; i < before.length; i += 4) {
      if (after[i + 3] !== before[i + 3]) throw new Error(`alpha differs at ${i / 4}`);
      if (before[i + 3]! > 0 && after[i] !== before[i]) throw new Error(`colour differs at ${i / 4}`);
    }
    expect(output.value.matteConfidence).toBe(1);
  });
});

const optionsOf = (raw: Options) => {
  const options = resolveOptions(raw);
  if (!options.ok) throw new Error(options.failure.detail);
  return options.value;
};

const pixel = async (bytes: Uint8Array, left: number, top: number): Promise<number[]> => [
  ...(await sharp(bytes).extract({ left, top, width: 1, height: 1 }).raw().toBuffer()),
];
