import { describe, expect, it } from 'vitest';
import { findAll, findEach, inOrder } from '../../../../shared/imaging/findings/find.ts';
import { evidenceOf } from './scene.ts';

const product = '<circle cx="590" cy="220" r="100" fill="#b03a2e"/>';

describe('findings of a photo that was seen once', () => {
  it('are for other options what they are when all is looked for again', async () => {
    const evidence = await evidenceOf({ product });
    const before = findEach(evidence);
    for (const options of [
      { marketplace: 'amazon', layout: 'hero', canvas: 100, fill: 0.3 },
      { marketplace: 'zalando', layout: 'hero', canvas: { width: 1801, height: 2600 }, fill: 0.95 },
      { marketplace: 'ebay', layout: 'original', canvas: 2000, fill: 0.85 },
    ] as const) {
      const other = { ...evidence, options };
      expect(inOrder(findEach(other, before))).toEqual(findAll(other));
    }
    const codes = (canvas: number) =>
      inOrder(findEach({ ...evidence, options: { ...evidence.options, canvas } }, before)).map(({ code }) => code);
    expect(codes(100)).not.toContain('source_too_small');
    expect(codes(2000)).toContain('source_too_small');
  });
});
