import { describe, expect, it } from 'vitest';
import { limits } from '../../shared/limits.ts';
import { canvasSize, marketplaceNames } from '../../shared/marketplaces/index.ts';
import { optionsFromFields, resolveOptions } from '../../shared/options.ts';

const resolved = (raw: unknown) => {
  const result = resolveOptions(raw);
  if (!result.ok) throw new Error(result.failure.detail);
  return result.value;
};
const refusal = (raw: unknown): string[] => {
  const result = resolveOptions(raw);
  return result.ok ? [] : (result.failure.errors ?? []).map((row) => row.field);
};

describe('options', () => {
  it('no options give the specified main image for Amazon', () => {
    expect(resolved({})).toEqual({
      marketplace: 'amazon',
      layout: 'hero',
      canvas: 2000,
      fill: 0.85,
      format: 'jpg',
      quality: 92,
      background: '#ffffff',
      shadow: 'none',
      on_finding: 'warn',
    });
  });

  it('the largest canvas has no more pixels than the largest photo, whatever the marketplace takes', () => {
    for (const marketplace of marketplaceNames)
      for (const canvas of [8_000, '10000x6400', '6400x10000']) {
        const { width, height } = canvasSize(resolved({ marketplace, canvas }).canvas);
        expect(width * height).toBe(limits.canvas.pixelsMax);
        expect(width * height).toBeLessThanOrEqual(limits.image.pixelsMax);
      }
  });

  it('a canvas may have any shape, and a square one is the same however it is written', () => {
    expect(resolved({ canvas: '1801x2600' }).canvas).toEqual({ width: 1801, height: 2600 });
    expect(resolved({ canvas: '2000x2000' })).toEqual(resolved({ canvas: 2000 }));
    expect(resolved(optionsFromFields(new Map([['canvas', '1801x2600']])))).toEqual(resolved({ canvas: '1801x2600' }));
    expect(resolved({ marketplace: 'zalando' }).canvas).toEqual({ width: 1801, height: 2600 });
  });

  it('several marketplaces are a list or text; the first is in the fields of a single one, each has its own defaults', () => {
    const { others, ...first } = resolved({ marketplaces: 'walmart, zalando', quality: 80 });
    expect(first).toEqual(resolved({ marketplace: 'walmart', quality: 80 }));
    // What findings do is said once, for the whole image.
    const { on_finding, ...zalando } = resolved({ marketplace: 'zalando', quality: 80 });
    expect([others, first.on_finding]).toEqual([[zalando], on_finding]);
    expect(resolved({ marketplaces: ['walmart', 'zalando'], quality: 80 })).toEqual({ ...first, others });
    expect(resolved({ marketplaces: 'ebay' })).toEqual({ ...resolved({ marketplace: 'ebay' }), others: [] });
    expect(resolved({ marketplaces: 'amazon,ebay', canvas: '8000x4000' }).others).toHaveLength(1);
  });

  it('multipart text becomes the same options as JSON', () => {
    const fields = new Map([
      ['canvas', '1600'],
      ['fill', '0.8'],
      ['background', 'F4F4F4'],
    ]);
    expect(resolved(optionsFromFields(fields))).toEqual(resolved({ canvas: 1600, fill: 0.8, background: '#f4f4f4' }));
  });

  it.each([
    [{ colour: 'red' }, ['colour']],
    [{ canvas: 50 }, ['canvas']],
    [{ canvas: 8_001 }, ['canvas']],
    [{ canvas: 10_000 }, ['canvas']],
    [{ canvas: '2000' }, ['canvas']],
    [{ canvas: '10000x6401' }, ['canvas']],
    [{ canvas: '99x2000' }, ['canvas']],
    [{ canvas: '2000x10001' }, ['canvas']],
    [{ canvas: '2000×2600' }, ['canvas']],
    [{ canvas: '2000x2600x1' }, ['canvas']],
    [{ provenance: 'c2pa' }, ['provenance']],
    [{ marketplaces: 'amazon,ebay', marketplace: 'amazon' }, ['marketplaces']],
    [{ marketplaces: ['amazon', 'temu'] }, ['marketplaces']],
    [{ marketplaces: [] }, ['marketplaces']],
    [{ marketplaces: 'amazon,ebay', canvas: 8_000 }, ['canvas']],
    [{ marketplaces: 'amazon,amazon' }, ['marketplaces']],
    [{ marketplace: 'temu' }, ['marketplace']],
    [{ background: 'transparent' }, ['background']],
    [{ background: 'transparent', format: 'png', shadow: 'soft' }, ['shadow']],
    [{ format: 'png', quality: 90 }, ['quality']],
    [{ layout: 'original', canvas: 2000, fill: 0.8 }, ['canvas', 'fill']],
    [{ background: '#12345' }, ['background']],
    [[], ['options']],
  ])('%j is refused and names %j', (raw, fields) => {
    expect(refusal(raw)).toEqual(fields);
  });

  it('a number field that is not a number is refused, not guessed', () => {
    expect(refusal(optionsFromFields(new Map([['canvas', 'big']])))).toEqual(['canvas']);
    expect(refusal(optionsFromFields(new Map([['canvas', '']])))).toEqual(['canvas']);
  });
});
