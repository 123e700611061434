import { beforeAll, describe, expect, it } from 'vitest';
import { monotonicClock } from '../../../origin/clock.ts';
import { decode } from '../../../origin/pipeline/decode.ts';
import { checkReduced, type Models, reducePhoto } from '../../../origin/pipeline/findings/check-photo.ts';
import { makeMainImage } from '../../../origin/pipeline/index.ts';
import type { FindingCode } from '../../../shared/findings.ts';
import type { Box } from '../../../shared/imaging/raster.ts';
import { type Options, resolveOptions } from '../../../shared/options.ts';
import { persons, photoOfPerson } from '../../support/findings/person.ts';
import { type KnownPhoto, knownPhotos } from '../../support/findings/photos.ts';
import { fileOnGreen, greenScreen } from '../../support/green-screen.ts';
import { loadDetectors, loadInfer } from '../../support/infer.ts';

const optionsOf = (raw: Options) => {
  const options = resolveOptions(raw);
  if (!options.ok) throw new Error(options.failure.detail);
  return options.value;
};
const reportOf = async (bytes: Uint8Array, raw: Options = {}, models: Models = { infer: greenScreen }) => {
  const reduced = await reducePhoto(bytes, decode);
  if (!reduced.ok) throw new Error(reduced.failure.detail);
  const report = await checkReduced(reduced.value, optionsOf(raw), models);
  if (!report.ok) throw new Error(report.failure.detail);
  return report.value;
};
const paid = (bytes: Uint8Array, raw: Options = {}, { infer, ...detectors }: Models = { infer: greenScreen }) =>
  makeMainImage(
    { bytes, options: optionsOf(raw), watermark: false },
    { decode, infer, detectors, clock: monotonicClock },
  );

/** Intersection over union. */
const overlap = (a: Box, b: Box): number => {
  const side = (p: number, length: number, q: number, other: number): number =>
    Math.max(0, Math.min(p + length, q + other) - Math.max(p, q));
  const both = side(a.x, a.width, b.x, b.width) * side(a.y, a.height, b.y, b.height);
  return both / (a.width * a.height + b.width * b.height - both);
};

const cut = '<circle cx="1180" cy="500" r="450" fill="#7a3fb0"/>';
const whole = '<circle cx="600" cy="500" r="450" fill="#7a3fb0"/>';

describe('a paid photo', () => {
  it('is told what was found about it, with its result', async () => {
    const made = await paid(await fileOnGreen(cut, 1200, 1000));
    expect(made.ok && made.value.findings).toMatchObject([{ code: 'product_cropped', severity: 'required' }]);
    const clean = await paid(await fileOnGreen(whole, 1200, 1000));
    expect(clean.ok && clean.value.findings).toEqual([]);
  });

  it('ends with the code of a finding that its marketplace refuses, where it asks for that', async () => {
    const photo = await fileOnGreen(cut, 1200, 1000);
    expect(await paid(photo, { on_finding: 'fail' })).toMatchObject({
      ok: false,
      failure: { code: 'product_cropped' },
    });
    // Etsy refuses nobody for it.
    expect((await paid(photo, { on_finding: 'fail', marketplace: 'etsy' })).ok).toBe(true);
    expect((await paid(await fileOnGreen(whole, 1200, 1000), { on_finding: 'fail' })).ok).toBe(true);
  });

  it('does not end with a recommendation', async () => {
    const two = '<circle cx="400" cy="600" r="350" fill="#7a3fb0"/><circle cx="1500" cy="600" r="350" fill="#b03f5a"/>';
    const made = await paid(await fileOnGreen(two, 1900, 1200), { on_finding: 'fail' });
    expect(made.ok && made.value.findings.map(({ code }) => code)).toEqual(['several_products']);
  });
});

describe('a check', () => {
  it('finds what the paid call finds, in the pixels of the upright input', async () => {
    const bytes = await fileOnGreen('<circle cx="2950" cy="1400" r="900" fill="#7a3fb0"/>', 3000, 2500);
    const report = await reportOf(bytes);
    const made = await paid(bytes);
    expect(report).toMatchObject({ width: 3000, height: 2500 });
    expect(report.findings.map(({ code }) => code)).toEqual(made.ok && made.value.findings.map(({ code }) => code));
    const { product_box: box } = report;
    expect(Math.abs((box?.x ?? 0) - 2050)).toBeLessThan(10);
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBe(3000);
    expect(Math.abs((box?.height ?? 0) - 1800)).toBeLessThan(15);
  });

  it('of a photo without a product says so', async () => {
    const report = await reportOf(await fileOnGreen('', 400, 300));
    expect(report).toMatchObject({ product_box: null, matte_confidence: 0 });
    expect(report.findings.map(({ code }) => code)).toEqual(['low_confidence']);
  });

  it('fails as a paid photo does on what cannot be read', async () => {
    expect(await reducePhoto(new TextEncoder().encode('not an image'), decode)).toMatchObject({
      ok: false,
      failure: { code: 'unsupported_media_type' },
    });
  });
});

describe('with the models', () => {
  it.each(persons)(
    'a person of $skin is found by a check and by the paid call, and where the face is',
    async (person) => {
      const { bytes, face } = await photoOfPerson(person);
      const image = await paid(bytes, {}, models);
      if (!image.ok) throw new Error(image.failure.detail);
      for (const findings of [(await reportOf(bytes, {}, models)).findings, image.value.findings]) {
        const finding = findings.find(({ code }) => code === 'person_in_photo');
        expect(finding).toMatchObject({ severity: 'recommended', marketplaces: [] });
        expect(overlap(finding?.box ?? { x: 0, y: 0, width: 0, height: 0 }, face)).toBeGreaterThan(0.5);
      }
    },
  );

  let models: Models;
  beforeAll(async () => {
    models = { infer: (await loadInfer()).infer, ...(await loadDetectors()) };
  });
  const firstOf = async (kind: string): Promise<KnownPhoto> => {
    for await (const photo of knownPhotos(1, { half: 'choosing', kinds: [kind] })) return photo;
    throw new Error(`no photo is ${kind}`);
  };
  const found = async (bytes: Uint8Array): Promise<FindingCode[]> =>
    (await reportOf(bytes, {}, models)).findings.map(({ code }) => code);

  it.each(['cropped', 'blurred', 'several', 'overlaid', 'bordered', 'collage', 'on-white', 'screenshot'])(
    'a photo that is %s is found to be so',
    async (kind) => {
      const photo = await firstOf(kind);
      expect(photo.expected.length).toBeGreaterThan(0);
      expect(await found(photo.bytes)).toEqual(expect.arrayContaining([...photo.expected]));
    },
  );
  it.each(['plain', 'printed', 'near-frame', 'screen-like'])(
    'a photo that is %s is found to be in order',
    async (kind) => {
      const photo = await firstOf(kind);
      const allowed = [...photo.expected, ...photo.either];
      expect((await found(photo.bytes)).filter((code) => !allowed.includes(code))).toEqual([]);
    },
  );
});
