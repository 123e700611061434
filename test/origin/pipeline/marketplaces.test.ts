import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { monotonicClock } from '../../../origin/clock.ts';
import { decode } from '../../../origin/pipeline/decode.ts';
import { fitBytes } from '../../../origin/pipeline/fit-bytes.ts';
import { makeMainImage } from '../../../origin/pipeline/index.ts';
import { jpegQuality } from '../../../shared/imaging/jpeg/read-quality.ts';
import { canvasSize, type Marketplace, marketplaceNames, marketplaces } from '../../../shared/marketplaces/index.ts';
import { type Options, resolveOptions } from '../../../shared/options.ts';
import { fileOnGreen, greenScreen } from '../../support/green-screen.ts';
import { checkHero } from '../../support/hero-check.ts';
import { brokenRules, pixelsBesideDisc } from '../../support/rule-check.ts';
import { random } from '../../support/scenes.ts';

const madeOf = async (bytes: Uint8Array, raw: Options) => {
  const options = resolveOptions(raw);
  if (!options.ok) throw new Error(options.failure.detail);
  const input = { bytes, options: options.value, watermark: false };
  return makeMainImage(input, { decode, infer: greenScreen, clock: monotonicClock });
};
const imageOf = async (bytes: Uint8Array, raw: Options) => {
  const made = await madeOf(bytes, raw);
  if (!made.ok) throw new Error(`${made.failure.code}: ${made.failure.detail}`);
  return made.value;
};

const disc = `<defs><pattern id="p" width="14" height="14" patternUnits="userSpaceOnUse"><rect width="14" height="14" fill="#c0392b"/><circle cx="6" cy="7" r="4" fill="#f1c40f"/></pattern></defs><circle cx="700" cy="500" r="400" fill="url(#p)"/>`;

/** A disc of noise: no encoder can make it small. */
const noisyDisc = async (): Promise<Uint8Array> => {
  const [width, height] = [1600, 1600];
  const data = new Uint8Array(width * height * 3);
  const next = random(7);
  for (let y = 0, at = 0; y < height; y++)
    for (let x = 0; x < width; x++, at += 3) {
      const inside = Math.hypot(x - 800, y - 800) < 700;
      data.set(inside ? [next() * 255, next() * 100, 128 + next() * 127] : [20, 200, 60], at);
    }
  return new Uint8Array(
    await sharp(data, { raw: { width, height, channels: 3 } })
      .png()
      .toBuffer(),
  );
};

describe('the file of every marketplace meets its required rules, as an independent look at it finds', () => {
  it.each(marketplaceNames)('%s', async (name) => {
    const profile: Marketplace = marketplaces[name];
    const made = await imageOf(await fileOnGreen(disc, 1400, 1000), { marketplace: name });
    const check = await checkHero(made.clean);
    expect(await brokenRules(made.clean, profile.rules, pixelsBesideDisc)).toEqual([]);
    expect({ width: check.width, height: check.height }).toEqual(profile.canvas);
    expect(Math.abs(check.fill - profile.fill)).toBeLessThanOrEqual(0.005);
    expect([check.offCentre.x <= 1, check.offCentre.y <= 1]).toEqual([true, true]);
    expect(made.compliance).toMatchObject({ marketplace: name, passed: true });
    expect(made.compliance.checks.filter(({ passed }) => !passed)).toEqual([]);
  });

  it.each(['1801x2600', '3000x700', '640x2400'])(
    'a canvas of %s is filled by the side that fills more',
    async (canvas) => {
      const made = await imageOf(await fileOnGreen(disc, 1400, 1000), { canvas, fill: 0.7 });
      const check = await checkHero(made.clean);
      expect(`${check.width}x${check.height}`).toBe(canvas);
      expect(Math.abs(check.fill - 0.7)).toBeLessThanOrEqual(0.005);
      expect([check.offCentre.x <= 1, check.offCentre.y <= 1]).toEqual([true, true]);
      expect(check.box).toEqual(made.productBox);
    },
  );
});

describe('one photo for several marketplaces', () => {
  it('is the files that each alone would get, of one look at the photo', async () => {
    const photo = await fileOnGreen(disc, 1400, 1000);
    const names = ['amazon', 'walmart', 'zalando', 'mercado-libre'] as const;
    let runs = 0;
    const options = resolveOptions({ marketplaces: [...names] });
    if (!options.ok) throw new Error(options.failure.detail);
    const made = await makeMainImage(
      { bytes: photo, options: options.value, watermark: false },
      {
        decode,
        infer: (image) => {
          runs++;
          return greenScreen(image);
        },
        clock: monotonicClock,
      },
    );
    if (!made.ok) throw new Error(made.failure.detail);
    expect(runs).toBeLessThanOrEqual(3);
    const together = [made.value.clean, ...made.value.others.map(({ bytes }) => bytes)];
    expect(together).toHaveLength(names.length);
    for (const [i, marketplace] of names.entries()) {
      const alone = await imageOf(photo, { marketplace });
      expect(Buffer.compare(together[i] as Uint8Array, alone.clean), marketplace).toBe(0);
      const report = i === 0 ? made.value.compliance : made.value.others[i - 1]?.compliance;
      expect(report).toEqual(alone.compliance);
    }
  });

  it('is nothing where one of its files cannot be made, and names whose', async () => {
    const made = await madeOf(await noisyDisc(), { marketplaces: 'amazon,walmart', format: 'png' });
    expect(made).toMatchObject({ ok: false, failure: { code: 'output_too_large' } });
    expect(made.ok ? '' : made.failure.detail).toMatch(/^Walmart/);
  });

  it('is small and marked for a test key, every file of it', async () => {
    const photo = await fileOnGreen(disc, 1400, 1000);
    const options = resolveOptions({ marketplaces: 'amazon,walmart,zalando', format: 'png' });
    if (!options.ok) throw new Error(options.failure.detail);
    const deps = { decode, infer: greenScreen, clock: monotonicClock };
    const [marked, live] = await Promise.all(
      [true, false].map((watermark) => makeMainImage({ bytes: photo, options: options.value, watermark }, deps)),
    );
    if (!marked?.ok || !live?.ok) throw new Error('not made');
    expect(marked.value.others.map(({ width, height }) => [width, height])).toEqual([
      [512, 512],
      [355, 512],
    ]);
    for (const [i, file] of marked.value.others.entries()) {
      const { width, height, bytes, compliance, productBox } = file;
      const other = live.value.others[i];
      expect([compliance, productBox]).toEqual([other?.compliance, other?.productBox]);
      const [a, b] = await Promise.all([
        sharp(bytes).raw().toBuffer(),
        sharp(other?.bytes).resize(width, height, { fit: 'fill' }).raw().toBuffer(),
      ]);
      const differing = a.reduce((count, value, at) => count + (Math.abs(value - (b[at] ?? 0)) > 30 ? 1 : 0), 0);
      expect(differing / a.length).toBeGreaterThan(0.2);
    }
  });
});

describe('the bytes that a marketplace takes', () => {
  it('are kept by a lower quality, and white stays exactly white', async () => {
    const photo = await noisyDisc();
    const made = await imageOf(photo, { marketplace: 'walmart', canvas: 3000, quality: 100 });
    expect(made.clean.byteLength).toBeLessThanOrEqual(5_000_000);
    expect(made.clean.byteLength).toBeGreaterThan(4_000_000);
    expect(jpegQuality(made.clean)).toBeLessThan(100);
    expect(await brokenRules(made.clean, marketplaces.walmart.rules, pixelsBesideDisc)).toEqual([]);
  });

  it('a file that cannot be made so small fails and names the marketplace', async () => {
    const made = await madeOf(await noisyDisc(), { marketplace: 'walmart', format: 'png' });
    expect(made).toMatchObject({ ok: false, failure: { code: 'output_too_large' } });
    expect(made.ok ? '' : made.failure.detail).toMatch(/^Walmart takes files of at most 5 MB; this png has/);
  });

  const sizes = (quality: number): Promise<Uint8Array> => Promise.resolve(new Uint8Array(quality * 100));
  const range = { bytesMin: 0, quality: 92, qualityMin: 60, qualityMax: 100 };
  it.each([
    ['the quality asked for, where it fits', { bytesMax: 9_200 }, { fits: true, bytes: 9_200 }],
    ['the highest that fits', { bytesMax: 7_350 }, { fits: true, bytes: 7_300 }],
    ['the lowest allowed', { bytesMax: 6_000 }, { fits: true, bytes: 6_000 }],
    ['never lower', { bytesMax: 5_999 }, { fits: false, bytes: 6_000 }],
    [
      'the highest, for one that would be too small',
      { bytesMax: 20_000, bytesMin: 9_900 },
      { fits: true, bytes: 10_000 },
    ],
    ['not so high that it is too large', { bytesMax: 9_500, bytesMin: 9_300 }, { fits: true, bytes: 9_200 }],
    ['one try without a quality', { bytesMax: 9_000, qualityMin: 92, qualityMax: 92 }, { fits: false, bytes: 9_200 }],
  ])('%s', async (_, bounds, expected) => {
    const { fits, bytes } = await fitBytes(sizes, { ...range, ...bounds });
    expect({ fits, bytes: bytes.byteLength }).toEqual(expected);
  });
});

describe('the quality of a JPEG, read off the file', () => {
  it.each([60, 75, 89, 90, 92, 100])('%i, of any encoder', async (quality) => {
    const common = await sharp({ create: { width: 64, height: 64, channels: 3, background: '#a33' } })
      .jpeg({ quality })
      .toBuffer();
    const ours = await imageOf(await fileOnGreen(disc, 1400, 1000), { canvas: 200, quality });
    expect([jpegQuality(common), jpegQuality(ours.clean)]).toEqual([quality, quality]);
  });

  it('nothing else has one', async () => {
    const png = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#a33' } })
      .png()
      .toBuffer();
    expect([
      jpegQuality(png),
      jpegQuality(new Uint8Array()),
      jpegQuality(Uint8Array.of(0xff, 0xd8, 0xff, 0xdb)),
    ]).toEqual([undefined, undefined, undefined]);
  });
});

describe('provenance', () => {
  const digitalSource = 'http://cv.iptc.org/newscodes/digitalsourcetype/algorithmicallyEnhanced';

  it.each([
    ['JPEG on white', {}],
    ['JPEG on a colour', { background: '#f4f4f4' }],
    ['PNG', { format: 'png' }],
    ['WebP', { format: 'webp' }],
  ] as const)(
    '%s: iptc says in XMP what was done, and nothing else; without it the file says nothing',
    async (_, more) => {
      const photo = await fileOnGreen(disc, 1400, 1000);
      const told = await imageOf(photo, { canvas: 300, provenance: 'iptc', ...more });
      const silent = await imageOf(photo, { canvas: 300, ...more });
      const { xmp, exif, iptc } = await sharp(told.clean).metadata();
      expect(xmp?.toString()).toContain(`Iptc4xmpExt:DigitalSourceType="${digitalSource}"`);
      expect([exif, iptc, (await sharp(silent.clean).metadata()).xmp]).toEqual([undefined, undefined, undefined]);
      const [a, b] = await Promise.all([told, silent].map(({ clean }) => sharp(clean).raw().toBuffer()));
      expect(a?.equals(b ?? Buffer.alloc(0))).toBe(true);
      expect(canvasSize(300)).toEqual({ width: told.width, height: told.height });
    },
  );
});
