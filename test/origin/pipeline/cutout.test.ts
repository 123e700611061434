/** Results in the photo's own frame, as POST /v1.0/removebg asks for them. */
import colourNames from 'color-name';
import { unzipSync } from 'fflate';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { monotonicClock } from '../../../origin/clock.ts';
import { decode } from '../../../origin/pipeline/decode.ts';
import { type MainImage, makeMainImage } from '../../../origin/pipeline/index.ts';
import type { Failure } from '../../../shared/errors.ts';
import { limits } from '../../../shared/limits.ts';
import { readParameters, wantedOf } from '../../../shared/removebg/read-parameters.ts';
import type { Result } from '../../../shared/result.ts';
import { fileOnGreen, GREEN, greenScreen } from '../../support/green-screen.ts';

/** A red rectangle of 200 × 100 px with its upper left corner at 100, 50, in a photo of 800 × 400 px. */
const card = '<rect x="100" y="50" width="200" height="100" fill="rgb(200,40,40)"/>';
const photo = (shapes = card): Promise<Uint8Array> => fileOnGreen(shapes, 800, 400);

type Given = Record<string, string>;
const make = async (
  given: Given,
  { bytes, background, watermark = false }: { bytes?: Uint8Array; background?: Uint8Array; watermark?: boolean } = {},
): Promise<Result<MainImage, Failure>> => {
  const parameters = readParameters(
    new Map(Object.entries({ image_file: 'photo.png', size: 'full', ...given })),
    colourNames,
  );
  if (!parameters.ok) throw new Error(parameters.failure.detail);
  const { options } = wantedOf(parameters.value, { isLive: true, available: 1 });
  return makeMainImage(
    { bytes: bytes ?? (await photo()), options, background, watermark },
    { decode, infer: greenScreen, clock: monotonicClock },
  );
};
const made = async (...args: Parameters<typeof make>): Promise<MainImage> => {
  const result = await make(...args);
  if (!result.ok) throw new Error(`${result.failure.code}: ${result.failure.detail}`);
  return result.value;
};

type Pixel = readonly number[];
const pixelsOf = async (bytes: Uint8Array) => {
  const { data, info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true });
  const at = (x: number, y: number): Pixel => {
    const from = (y * info.width + x) * info.channels;
    return [...data.subarray(from, from + info.channels)];
  };
  return { ...info, at };
};
const near = (pixel: Pixel, wanted: Pixel, by = 6): void =>
  expect(
    pixel.length === wanted.length && pixel.every((value, i) => Math.abs(value - wanted[i]!) <= by),
    `${pixel} is not ${wanted}`,
  ).toBe(true);
const RED = [200, 40, 40] as const;
const nearBox = (
  box: MainImage['productBox'],
  [x, y, width, height]: readonly [number, number, number, number],
  by = 2,
) => {
  for (const [found, wanted] of [
    [box.x, x],
    [box.y, y],
    [box.x + box.width, x + width],
    [box.y + box.height, y + height],
  ] as const)
    expect(Math.abs(found - wanted), `${JSON.stringify(box)} is not ${[x, y, width, height]}`).toBeLessThanOrEqual(by);
};

describe('by default', () => {
  it('the result is a PNG of the photo’s own size, with the product where it was and nothing else', async () => {
    const result = await made({});
    expect(result).toMatchObject({ width: 800, height: 400, cleanType: 'image/png', upscaled: false });
    nearBox(result.productBox, [100, 50, 200, 100]);
    const { at, channels } = await pixelsOf(result.clean);
    expect(channels).toBe(4);
    near(at(200, 100), [...RED, 255]);
    expect(at(600, 300)[3]).toBe(0);
    expect(at(0, 0)[3]).toBe(0);
  });

  it('a photo that already is a cut-out keeps its alpha', async () => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="800" height="400">${card}</svg>`;
    const result = await made({}, { bytes: new Uint8Array(await sharp(Buffer.from(svg)).png().toBuffer()) });
    nearBox(result.productBox, [100, 50, 200, 100], 0);
    near((await pixelsOf(result.clean)).at(200, 100), [...RED, 255], 1);
  });
});

describe('size', () => {
  it.each([
    ['preview', 250_000],
    ['medium', 1_500_000],
  ])('%s is at most %i pixels, in the photo’s proportions', async (size, pixelsMax) => {
    const bytes = await fileOnGreen(
      '<rect x="400" y="300" width="900" height="600" fill="rgb(200,40,40)"/>',
      2500,
      1600,
    );
    const result = await made({ size }, { bytes });
    expect(result.width * result.height).toBeLessThanOrEqual(pixelsMax);
    expect(result.width * result.height).toBeGreaterThan(0.99 * pixelsMax);
    expect(result.width / result.height).toBeCloseTo(2500 / 1600, 2);
    const scale = result.width / 2500;
    nearBox(result.productBox, [400 * scale, 300 * scale, 900 * scale, 600 * scale]);
  });

  it('625 × 400 is what a preview of 2,500 × 1,600 is', async () => {
    const bytes = await fileOnGreen(
      '<rect x="400" y="300" width="900" height="600" fill="rgb(200,40,40)"/>',
      2500,
      1600,
    );
    expect(await made({ size: 'preview' }, { bytes })).toMatchObject({ width: 625, height: 400 });
  });

  it('no result is larger than its photo', async () => {
    expect(await made({ size: '50MP' })).toMatchObject({ width: 800, height: 400 });
  });
});

describe('crop', () => {
  it('leaves the product’s box alone', async () => {
    const result = await made({ crop: 'true' });
    expect(Math.abs(result.width - 200)).toBeLessThanOrEqual(3);
    expect(Math.abs(result.height - 100)).toBeLessThanOrEqual(3);
    expect(result.productBox).toEqual({ x: 0, y: 0, width: result.width, height: result.height });
  });

  it.each([
    ['30px', [30, 30, 30, 30]],
    ['10%', [10, 20, 10, 20]],
    ['10px 40px', [10, 40, 10, 40]],
    ['1px 2px 3px 4px', [1, 2, 3, 4]],
    ['50% 0 0 0', [50, 0, 0, 0]],
  ])('crop_margin %s adds it around the product', async (crop_margin, [top, right, bottom, left]) => {
    const { width, height, productBox: box } = await made({ crop: 'true', crop_margin });
    const margins = [box.y, width - box.x - box.width, height - box.y - box.height, box.x];
    for (const [i, wanted] of [top!, right!, bottom!, left!].entries())
      expect(Math.abs(margins[i]! - wanted)).toBeLessThanOrEqual(1);
  });

  it('with margins a preview has no more pixels than one without', async () => {
    const bytes = await fileOnGreen(
      '<rect x="20" y="20" width="1900" height="1500" fill="rgb(200,40,40)"/>',
      2500,
      1600,
    );
    const { width, height } = await made({ size: 'preview', crop: 'true', crop_margin: '50%' }, { bytes });
    expect(width * height).toBeLessThanOrEqual(250_000);
  });
});

describe('scale and position', () => {
  it('scale makes the product take so much of the frame, in its middle', async () => {
    const { productBox: box, width, height } = await made({ scale: '80%' });
    expect([width, height]).toEqual([800, 400]);
    // The card is twice as wide as high, as is the frame.
    expect(Math.abs(Math.max(box.width / 800, box.height / 400) - 0.8)).toBeLessThanOrEqual(0.005);
    expect(Math.abs(box.x + box.width / 2 - 400)).toBeLessThanOrEqual(1);
    expect(Math.abs(box.y + box.height / 2 - 200)).toBeLessThanOrEqual(1);
  });

  it.each([
    ['0%', 0, 0],
    ['100% 0%', 1, 0],
    ['25% 75%', 0.25, 0.75],
    ['center', 0.5, 0.5],
  ])('position %s places the product in the room it leaves', async (position, x, y) => {
    const { productBox: box } = await made({ position });
    expect(Math.abs(box.x - x * (800 - box.width))).toBeLessThanOrEqual(1);
    expect(Math.abs(box.y - y * (400 - box.height))).toBeLessThanOrEqual(1);
  });

  it('scale with position original keeps the product’s centre as far as it fits', async () => {
    const { productBox: box } = await made({ scale: '30%', position: 'original' });
    expect(Math.abs(box.x + box.width / 2 - 200)).toBeLessThanOrEqual(2);
    expect(Math.abs(box.y + box.height / 2 - 100)).toBeLessThanOrEqual(2);
  });
});

describe('roi', () => {
  const two = `${card}<rect x="500" y="200" width="200" height="150" fill="rgb(40,40,200)"/>`;

  it('only what is inside is product, and the frame stays the photo’s', async () => {
    const result = await made({ roi: '50% 40% 100% 100%' }, { bytes: await photo(two) });
    expect(result).toMatchObject({ width: 800, height: 400 });
    nearBox(result.productBox, [500, 200, 200, 150]);
    const { at } = await pixelsOf(result.clean);
    expect(at(200, 100)[3]).toBe(0);
    near(at(600, 275), [40, 40, 200, 255]);
  });

  it.each(['0px 0px 801px 400px', '0% 0% 50% 401px'])('%s exceeds the photo and fails', async (roi) => {
    expect(await make({ roi })).toMatchObject({ ok: false, failure: { code: 'invalid_options' } });
  });

  it('of fewer than 16 px fails', async () => {
    expect(await make({ roi: '10px 10px 20px 300px' })).toMatchObject({
      ok: false,
      failure: { code: 'invalid_options' },
    });
  });
});

describe('the background', () => {
  it('a colour makes a JPEG of it, where nothing but the product differs', async () => {
    const result = await made({ bg_color: '81d4fa' });
    expect(result.cleanType).toBe('image/jpeg');
    const { at } = await pixelsOf(result.clean);
    near(at(700, 300), [0x81, 0xd4, 0xfa], 2);
    near(at(200, 100), RED);
  });

  it('white JPEG is exactly white', async () => {
    const { at, channels } = await pixelsOf((await made({ format: 'jpg' })).clean);
    expect(channels).toBe(3);
    expect(at(700, 300)).toEqual([255, 255, 255]);
    expect(at(310, 100)).toEqual([255, 255, 255]);
  });

  it('a colour that lets something through does so in a PNG', async () => {
    const result = await made({ bg_color: '0000ff80' });
    expect(result.cleanType).toBe('image/png');
    const { at } = await pixelsOf(result.clean);
    expect(at(700, 300)).toEqual([0, 0, 255, 128]);
    near(at(200, 100), [...RED, 255]);
  });

  it('a picture fills the frame behind the product', async () => {
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" width="400" height="400"><rect width="400" height="400" fill="rgb(10,20,30)"/></svg>';
    const background = new Uint8Array(await sharp(Buffer.from(svg)).png().toBuffer());
    const { at, width, height } = await pixelsOf((await made({ bg_image_file: 'b.png' }, { background })).clean);
    expect([width, height]).toEqual([800, 400]);
    for (const [x, y] of [
      [0, 0],
      [799, 399],
      [600, 10],
    ] as const)
      near(at(x, y), [10, 20, 30]);
    near(at(200, 100), RED);
  });

  it('a picture that cannot be read fails', async () => {
    const background = new Uint8Array([1, 2, 3, 4]);
    expect(await make({ bg_image_file: 'b.png' }, { background })).toMatchObject({
      ok: false,
      failure: { code: 'unreadable_image' },
    });
  });
});

describe('the file', () => {
  it('channels=alpha is the matte as a grey PNG', async () => {
    const result = await made({ channels: 'alpha' });
    const header = await sharp(result.clean).metadata();
    expect(header).toMatchObject({ format: 'png', channels: 1, width: 800, height: 400 });
    const { at } = await pixelsOf(result.clean);
    expect(at(200, 100)[0]).toBe(255);
    expect(at(700, 300)[0]).toBe(0);
  });

  it('a zip holds the colours as JPEG and the matte as grey PNG, which together are the PNG', async () => {
    const [zip, png] = [await made({ format: 'zip' }), await made({ format: 'png' })];
    expect(zip.cleanType).toBe('application/zip');
    const files = unzipSync(zip.clean);
    expect(Object.keys(files).sort()).toEqual(['alpha.png', 'color.jpg']);
    const [alpha, color] = [files['alpha.png']!, files['color.jpg']!];
    expect(await sharp(alpha).metadata()).toMatchObject({ format: 'png', channels: 1, width: 800, height: 400 });
    expect(await sharp(color).metadata()).toMatchObject({ format: 'jpeg', channels: 3, width: 800, height: 400 });
    const [a, c, whole] = [await pixelsOf(alpha), await pixelsOf(color), await pixelsOf(png.clean)];
    for (const [x, y] of [
      [101, 51],
      [200, 100],
      [298, 148],
      [600, 300],
    ] as const) {
      expect(a.at(x, y)[0]).toBe(whole.at(x, y)[3]);
      if (whole.at(x, y)[3] === 255) near(c.at(x, y), whole.at(x, y).slice(0, 3), 8);
    }
  });

  it('webp keeps transparency', async () => {
    const result = await made({ format: 'webp' });
    expect(result.cleanType).toBe('image/webp');
    expect((await pixelsOf(result.clean)).at(700, 300)[3]).toBe(0);
  });

  it('the same photo gives the same archive', async () => {
    expect((await made({ format: 'zip' })).clean).toEqual((await made({ format: 'zip' })).clean);
  });
});

describe('add_shadow', () => {
  it('darkens the ground below the product, in the alpha channel where there is no background', async () => {
    const { at } = await pixelsOf((await made({ add_shadow: 'true' })).clean);
    const [r, g, b, alpha] = at(200, 152);
    expect([r, g, b]).toEqual([0, 0, 0]);
    expect(alpha).toBeGreaterThan(20);
    expect(at(200, 20)[3]).toBe(0);
  });

  it('on white makes grey', async () => {
    const { at } = await pixelsOf((await made({ add_shadow: 'true', bg_color: 'white', format: 'png' })).clean);
    expect(at(200, 152)[0]).toBeLessThan(240);
    expect(at(700, 300)).toEqual([255, 255, 255]);
  });
});

describe('semitransparency', () => {
  /** A frame around glass: half of the ground shows through. */
  const glass = `<rect x="100" y="50" width="400" height="300" fill="rgb(200,40,40)"/><rect x="200" y="120" width="200" height="160" fill="rgb(${(GREEN.r + 40) | 0},${(GREEN.g - 10) | 0},${GREEN.b})"/>`;

  it('false makes what lies within the outline solid', async () => {
    const bytes = await photo(glass);
    const [kept, solid] = [
      await pixelsOf((await made({}, { bytes })).clean),
      await pixelsOf((await made({ semitransparency: 'false' }, { bytes })).clean),
    ];
    expect(kept.at(300, 200)[3]).toBeGreaterThan(12);
    expect(kept.at(300, 200)[3]).toBeLessThan(250);
    expect(solid.at(300, 200)[3]).toBe(255);
    expect(solid.at(700, 300)[3]).toBe(0);
  });
});

it('a test key’s result is small and marked, and its box is that of the file', async () => {
  const bytes = await fileOnGreen(
    '<rect x="400" y="300" width="1600" height="900" fill="rgb(200,40,40)"/>',
    2500,
    1600,
  );
  const result = await made({}, { bytes, watermark: true });
  expect(Math.max(result.width, result.height)).toBe(limits.testResult.sideMax);
  const scale = result.width / 2500;
  nearBox(result.productBox, [400 * scale, 300 * scale, 1600 * scale, 900 * scale]);
});
