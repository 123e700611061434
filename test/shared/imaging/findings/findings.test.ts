import { describe, expect, it } from 'vitest';
import { type FindingCode, findingsSchema } from '../../../../shared/findings.ts';
import type { FileFacts } from '../../../../shared/imaging/compliance.ts';
import type { Evidence } from '../../../../shared/imaging/findings/evidence.ts';
import { findAll } from '../../../../shared/imaging/findings/find.ts';
import { isRefusedFor } from '../../../../shared/imaging/findings/finding.ts';
import { refusals } from '../../../../shared/imaging/findings/refusals.ts';
import { textLines } from '../../../../shared/imaging/findings/text-lines.ts';
import { scanWhite, strayPixels } from '../../../../shared/imaging/findings/white-background.ts';
import type { Box } from '../../../../shared/imaging/raster.ts';
import { lettering } from '../../../support/findings/lettering.ts';
import { seeded } from '../../../support/random.ts';
import { type Drawing, evidenceOf } from './scene.ts';

const mug =
  '<rect x="200" y="120" width="180" height="200" rx="20" fill="#b03a2e"/><rect x="215" y="140" width="20" height="150" fill="#f0d0c8"/>';

/** What is found besides that the drawings are small. */
const codesOf = async (drawing: Drawing, more: Partial<Evidence> = {}): Promise<FindingCode[]> => {
  const found = findAll(await evidenceOf(drawing, more));
  expect(findingsSchema.parse(found)).toEqual(found);
  return found.map(({ code }) => code).filter((code) => code !== 'source_too_small');
};
const findingOf = async (code: FindingCode, drawing: Drawing, more: Partial<Evidence> = {}) =>
  findAll(await evidenceOf(drawing, more)).find((finding) => finding.code === code);

describe('a photo that is in order', () => {
  it('has no finding', async () => {
    expect(await codesOf({ product: mug })).toEqual([]);
  });
});

describe('product_cropped', () => {
  it('is found at the side that cuts the product off, with how much', async () => {
    const finding = await findingOf('product_cropped', {
      product: '<circle cx="590" cy="220" r="100" fill="#b03a2e"/>',
    });
    expect(finding).toMatchObject({
      severity: 'required',
      marketplaces: ['amazon'],
      box: { x: 490, y: 120, width: 110, height: 200 },
    });
    expect(finding?.detail).toMatch(/at the right \(\d+ % of its longer side\)/);
  });
  it('is not found where the product ends just before the frame, or touches it at a point', async () => {
    expect(await codesOf({ product: '<rect x="8" y="100" width="200" height="200" fill="#b03a2e"/>' })).toEqual([]);
    expect(await codesOf({ product: '<path d="M300 0L340 60L330 300H270L260 60Z" fill="#b03a2e"/>' })).toEqual([]);
    expect(await codesOf({ product: '<path d="M294 0H306L336 30H330V300H270V30H264Z" fill="#b03a2e"/>' })).toEqual([]);
  });

  const lamp = (x: number): string =>
    `<rect x="200" y="80" width="200" height="180" fill="#b03a2e"/><rect x="${x}" y="260" width="10" height="190" fill="#b03a2e"/>`;
  it('is found where only a thin part leaves the photo, a leg or a cable', async () => {
    expect(await findingOf('product_cropped', { product: lamp(300) })).toMatchObject({
      detail: expect.stringMatching(/at the bottom \(3 % of its longer side\)/),
    });
  });
  it('is not found for a thin line of the background that the matte has taken for product', async () => {
    const stripes =
      '<rect y="440" width="600" height="10" fill="#8f9fb0"/><rect x="300" y="260" width="10" height="190" fill="#8f9fb0"/>';
    const { alpha } = await evidenceOf({ product: lamp(300) });
    const product = '<rect x="200" y="80" width="200" height="180" fill="#b03a2e"/>';
    expect(await codesOf({ background: stripes, product }, { alpha })).toEqual([]);
  });
  it('is not found for a piece apart that has the colours of the product, nor for a stripe along the frame', async () => {
    const apart = `${mug}<rect x="500" y="400" width="14" height="50" fill="#b03a2e"/>`;
    expect(await codesOf({ product: apart })).toEqual([]);
    const stripe = '<path d="M590 100L600 100V340Z" fill="#8f9fb0"/>';
    const { alpha } = await evidenceOf({ product: mug + stripe });
    const more = '<rect x="40" width="30" height="450" fill="#8f9fb0"/>';
    expect(await codesOf({ background: stripe + more, product: mug }, { alpha })).toEqual([]);
  });
  it('is not found for a broad stripe of the background along the frame that hangs on no product', async () => {
    const stripe = '<rect x="585" y="100" width="15" height="120" fill="#8f9fb0"/>';
    const { alpha } = await evidenceOf({ product: mug + stripe });
    const more = '<rect x="40" width="30" height="450" fill="#8f9fb0"/>';
    expect(await codesOf({ background: stripe + more, product: mug }, { alpha })).toEqual([]);
    expect(await codesOf({ product: mug + stripe.replace('#8f9fb0', '#b03a2e') })).toEqual(['product_cropped']);
  });
  it('is found where half of what a leg shows at the frame has colours of the background', async () => {
    const { alpha } = await evidenceOf({ product: lamp(300) });
    const light = '<rect x="306" y="260" width="4" height="190" fill="#b8b4ad"/>';
    expect(await codesOf({ product: lamp(300), over: light }, { alpha })).toEqual(['product_cropped']);
  });
  it('is found where the matte ends before the frame and the product goes on', async () => {
    const box = (bottom: number): Drawing => ({
      product: `<rect x="150" y="200" width="300" height="${bottom - 200}" fill="#b03a2e"/>`,
    });
    const { alpha } = await evidenceOf(box(420));
    expect(await codesOf(box(450), { alpha })).toEqual(['product_cropped']);
    expect(await codesOf(box(420), { alpha })).toEqual([]);
  });
  it('is measured at the region where a region cuts the product, not at the photo', async () => {
    const cutBy = { x: 60, y: 40, width: 300, height: 380 };
    const { alpha } = await evidenceOf({ product: lamp(300) });
    for (let y = 0; y < 450; y++) for (let x = 0; x < 600; x++) if (x >= 360 || y >= 420) alpha.data[y * 600 + x] = 0;
    const finding = await findingOf('product_cropped', { product: lamp(300) }, { alpha, cutBy });
    expect(finding?.detail).toMatch(/^The region cuts the product at the right \(\d+ % .*\), bottom/);
    expect(
      await findingOf('product_cropped', { product: mug }, { cutBy: { x: 60, y: 40, width: 400, height: 380 } }),
    ).toBeUndefined();
  });
});

describe('several_products', () => {
  const two =
    '<rect x="80" y="120" width="160" height="200" fill="#b03a2e"/><rect x="340" y="140" width="160" height="180" fill="#2e5cb0"/>';
  it('is found for two pieces of comparable size, with a box around both', async () => {
    expect(await findingOf('several_products', { product: two })).toMatchObject({
      box: { x: 80, y: 120, width: 420, height: 200 },
    });
  });
  it('is only a recommendation: a pair or a set may be sold as one', async () => {
    const finding = await findingOf('several_products', { product: two });
    expect(finding?.severity).toBe('recommended');
    expect(finding && isRefusedFor(finding, 'amazon')).toBe(false);
  });
  it('is not found for a small part apart from the product', async () => {
    expect(await codesOf({ product: `${mug}<rect x="450" y="280" width="60" height="50" fill="#b03a2e"/>` })).toEqual(
      [],
    );
  });
});

describe('source_too_small', () => {
  const sized = (side: number): Drawing => ({
    product: `<rect x="20" y="20" width="${side}" height="${side / 2}" fill="#b03a2e"/>`,
    size: { width: 1000, height: 700 },
  });
  it('is found where the product must be enlarged more than twice, and says by how much', async () => {
    expect((await findingOf('source_too_small', sized(840)))?.detail).toContain('840 px');
    expect(await findingOf('source_too_small', sized(860))).toBeUndefined();
  });
  it('is what a marketplace refuses only where even its smallest file shows a pixelated product', async () => {
    expect((await findingOf('source_too_small', sized(430)))?.severity).toBe('recommended');
    expect((await findingOf('source_too_small', sized(420)))?.severity).toBe('required');
  });
  it('depends on the canvas asked for', async () => {
    const options = { marketplace: 'amazon', layout: 'hero', canvas: 1000, fill: 0.85 } as const;
    expect(await findingOf('source_too_small', sized(440), { options })).toBeUndefined();
    expect(
      await findingOf('source_too_small', sized(400), { options: { ...options, layout: 'original' } }),
    ).toBeUndefined();
  });
});

describe('source_blurred', () => {
  it('is found where even the sharpest edges are wide', async () => {
    expect(await codesOf({ product: mug, blurPx: 4 })).toEqual(['source_blurred']);
  });
  it('is not found for a barely soft photo, nor for a blurred background', async () => {
    expect(await codesOf({ product: mug, blurPx: 0.8 })).toEqual([]);
  });
});

describe('person_in_photo', () => {
  const box = { x: 250, y: 20, width: 60, height: 60 };
  it('is a recommendation, with where the surest face is and how large', async () => {
    const faces = [
      { score: 0.97, box },
      { score: 0.9, box: { ...box, x: 20 } },
    ];
    expect(await findingOf('person_in_photo', { product: mug }, { faces })).toMatchObject({
      severity: 'recommended',
      marketplaces: [],
      box,
      detail: expect.stringMatching(/^A face, 10 % /),
    });
  });
});

describe('text_or_logo_overlay', () => {
  const line = (x: number, y: number): string => lettering('BIG SALE', { x, y, height: 24, colour: '#111111' });
  const boxAt = (x: number, y: number): Box => ({ x: x - 2, y: y - 2, width: 184, height: 28 });
  it('is found for a line of text on the background, and says where', async () => {
    expect(
      await findingOf('text_or_logo_overlay', { product: mug, over: line(30, 400) }, { lines: [boxAt(30, 400)] }),
    ).toMatchObject({
      severity: 'required',
      marketplaces: ['amazon', 'ebay', 'google'],
      box: { x: 28, y: 398, width: 184, height: 28 },
    });
  });
  it('is not found for text printed on the product', async () => {
    expect(await codesOf({ product: mug, over: line(198, 200) }, { lines: [boxAt(198, 200)] })).toEqual([]);
  });
  it('is not found for text on a label that the matte has missed, which the product surrounds', async () => {
    const ring = '<path fill-rule="evenodd" d="M150 100H450V350H150ZM180 180H420V270H180Z" fill="#b03a2e"/>';
    expect(await codesOf({ product: ring, over: line(208, 210) }, { lines: [boxAt(208, 210)] })).toEqual([]);
  });
  it('is found for a price burst that the matte takes for a product of its own', async () => {
    const burst = '<circle cx="500" cy="100" r="95" fill="#d0021b"/>';
    const lines = [{ x: 411, y: 86, width: 178, height: 30 }];
    const over = lettering('BIG SALE', { x: 413, y: 90, height: 23, colour: '#ffffff' });
    expect(await codesOf({ product: mug + burst, over }, { lines })).toEqual(['text_or_logo_overlay']);
  });
  it('needs the strokes of letters: what a detector takes for text and is plain is none', async () => {
    const { picture } = await evidenceOf({ product: mug, over: line(30, 400) });
    const map = { width: 600, height: 450, data: new Uint8Array(600 * 450) };
    for (const top of [404, 40]) for (let y = top; y < top + 14; y++) map.data.fill(250, y * 600 + 36, y * 600 + 200);
    expect(textLines(map, picture).map(({ y }) => y > 300)).toEqual([true]);
  });
});

describe('border_or_frame', () => {
  const frame = '<rect x="6" y="6" width="588" height="438" fill="none" stroke="#111" stroke-width="12"/>';
  it('is found for a frame of one colour, and for bars on two sides', async () => {
    expect(await codesOf({ product: mug, over: frame })).toEqual(['border_or_frame']);
    const bars = '<rect width="600" height="20"/><rect y="430" width="600" height="20"/>';
    expect(await codesOf({ product: mug, over: bars })).toEqual(['border_or_frame']);
  });
  it('is not found for a product before a plain background, nor for the edge of a table', async () => {
    expect(await codesOf({ product: '<rect x="20" y="20" width="560" height="410" fill="#b03a2e"/>' })).toEqual([]);
    const table = '<rect y="390" width="600" height="60" fill="#5d3a20"/>';
    expect(await codesOf({ background: table, product: mug })).toEqual([]);
  });
});

describe('collage', () => {
  const halves =
    '<rect width="300" height="450" fill="#456a8a"/><rect x="300" width="300" height="450" fill="#c7b299"/>';
  it('is found for two pictures side by side, with and without a gap', async () => {
    expect(await codesOf({ background: halves, product: '<circle cx="150" cy="220" r="90" fill="#b03a2e"/>' })).toEqual(
      ['collage'],
    );
    const gap = '<rect x="270" width="8" height="450" fill="#ffffff"/>';
    expect(
      await codesOf({
        background: halves.replaceAll('300', '274'),
        product: '<circle cx="120" cy="220" r="90" fill="#b03a2e"/>',
        over: gap,
      }),
    ).toEqual(['collage']);
  });
  it('is not found for the edge of a table, which divides a photo anywhere', async () => {
    const table = '<rect y="265" width="600" height="185" fill="#5d3a20"/>';
    expect(await codesOf({ background: table, product: mug })).toEqual([]);
  });
  it('is not found for a joint between two tiles, nor in a pattern that changes everywhere', async () => {
    const joint = '<rect x="299" width="3" height="450" fill="#5a5650"/>';
    expect(await codesOf({ background: joint, product: mug })).toEqual([]);
    const { picture } = await evidenceOf({ background: halves, product: mug });
    const random = seeded(1);
    const gravel = { ...picture, data: picture.data.map((level) => Math.max(0, level - random.integer(0, 120))) };
    expect(await codesOf({ product: mug }, { picture: gravel })).toEqual([]);
  });
});

describe('low_confidence', () => {
  it('is found for an unsure matte, and where there is no product', async () => {
    expect(await codesOf({ product: mug }, { confidence: 0.49 })).toEqual(['low_confidence']);
    expect(await codesOf({ product: mug }, { confidence: 0.5 })).toEqual([]);
    const none = await findingOf('low_confidence', { product: '' }, { confidence: 0 });
    expect(none).toMatchObject({ box: null, detail: 'No product was found in the photo' });
  });
});

describe('already_white', () => {
  const facts: FileFacts = {
    size: { width: 1000, height: 1000 },
    bytes: 100_000,
    format: 'jpg',
    jpegQuality: 90,
    colourSpace: 'srgb',
    bitsPerSample: 8,
    transparent: false,
    notWhitePixels: 0,
    shadowPixels: 0,
    productBox: { x: 75, y: 150, width: 850, height: 700 },
  };
  const drawing = { product: mug, size: { width: 1000, height: 1000 } };
  it('is found where the photo passes the check of results as it is, and needs nothing', async () => {
    expect(await findingOf('already_white', drawing, { asMainImage: facts })).toMatchObject({
      severity: 'info',
      marketplaces: ['amazon'],
    });
  });
  it.each([
    ['one stray pixel', { notWhitePixels: 1 }],
    ['a smaller product', { productBox: { x: 150, y: 200, width: 700, height: 600 } }],
    ['a product off the centre', { productBox: { x: 79, y: 150, width: 850, height: 700 } }],
    ['CMYK', { colourSpace: 'cmyk' }],
  ] as const)('is not found with %s', async (_, change) => {
    expect(await codesOf(drawing, { asMainImage: { ...facts, ...change } })).toEqual([]);
  });

  it('a pixel that is not white counts, unless it is near the product', async () => {
    const data = new Uint8Array(300 * 200 * 3).fill(255);
    data.fill(90, (100 * 300 + 100) * 3, (100 * 300 + 140) * 3);
    data[(100 * 300 + 148) * 3] = 254;
    data[(20 * 300 + 20) * 3 + 1] = 254;
    const scan = scanWhite({ data, width: 300, height: 200 }, { width: 150, height: 100 })!;
    const alpha = { width: 150, height: 100, data: new Uint8Array(150 * 100) };
    alpha.data.fill(255, 50 * 150 + 50, 50 * 150 + 70);
    expect(scan.box).toEqual({ x: 20, y: 20, width: 129, height: 81 });
    expect(strayPixels(scan, alpha, { width: 300, height: 200 })).toBe(1);
    data[2] = 254;
    expect(scanWhite({ data, width: 300, height: 200 }, { width: 150, height: 100 })).toBeUndefined();
  });
});

describe('what a marketplace refuses', () => {
  it('comes first, and says who, what they call it, where that is written and when it was read', async () => {
    const found = findAll(
      await evidenceOf({ product: '<circle cx="590" cy="220" r="100" fill="#b03a2e"/>' }, { confidence: 0.2 }),
    );
    expect(found.map(({ severity }) => severity)).toEqual(['required', 'required', 'recommended']);
    for (const rows of Object.values(refusals))
      for (const { marketplace, says, source, asOf } of rows) {
        expect(says, marketplace).not.toBe('');
        expect(source).toMatch(/^https:\/\//);
        expect(asOf).toMatch(/^\d{4}-\d{2}-\d{2}$/);
      }
  });
});
