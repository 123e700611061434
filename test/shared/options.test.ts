import { describe, expect, it } from 'vitest';
import { limits } from '../../shared/limits.ts';
import { marketplaceNames, marketplaces } from '../../shared/marketplaces.ts';
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

  it.each(marketplaceNames)('the defaults of %s meet its own rules', (name) => {
    const rules = marketplaces[name];
    const options = resolved({ marketplace: name });
    expect(options.canvas).toBeGreaterThanOrEqual(rules.longestSide.min);
    expect(options.canvas).toBeLessThanOrEqual(rules.longestSide.max);
    expect(rules.formatsAllowed).toContain(options.format);
  });

  it('the largest canvas has no more pixels than the largest photo, whatever the marketplace takes', () => {
    for (const marketplace of marketplaceNames)
      expect(resolved({ marketplace, canvas: 8_000 }).canvas ** 2).toBeLessThanOrEqual(limits.image.pixelsMax);
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
