import { describe, expect, it } from 'vitest';
import { limits } from '../../shared/limits.ts';
import { resolveOptions } from '../../shared/options.ts';
import { parseRegion, regionBox } from '../../shared/region.ts';

const photo = { width: 1600, height: 900 };
const boxOf = (text: string) => {
  const region = parseRegion(text);
  if (!region) throw new Error(`${text} is no region`);
  const box = regionBox(region, photo);
  return box.ok ? box.value : box.failure.code;
};

describe('a region', () => {
  it('is pixels of the photo, or percent of its sides', () => {
    expect(boxOf('120,80,600,700')).toEqual({ x: 120, y: 80, width: 600, height: 700 });
    expect(boxOf(' 10%, 50% ,25%,50%')).toEqual({ x: 160, y: 450, width: 400, height: 450 });
    expect(boxOf('33.3333%,0%,66.6667%,100%')).toEqual({ x: 533, y: 0, width: 1067, height: 900 });
    expect(boxOf('0,0,1600,900')).toEqual({ x: 0, y: 0, ...photo });
  });

  it.each([
    '',
    '1,2,3',
    '1,2,3,4,5',
    '10%,10,20,20',
    '-1,0,10,10',
    '0,0,0,10',
    '60%,0%,50%,100%',
    'a,b,c,d',
    '1e3,0,9,9',
  ])('%j is none, and is refused before anything is paid for', (text) => {
    expect(parseRegion(text)).toBeUndefined();
    const resolved = resolveOptions({ region: text });
    expect(!resolved.ok && resolved.failure.errors?.map(({ field }) => field)).toEqual(['region']);
  });

  it('that the photo does not hold, or that holds too little, is refused where the photo is known', () => {
    expect(boxOf('1000,0,601,900')).toBe('invalid_options');
    expect(boxOf('0,500,100,401')).toBe('invalid_options');
    expect(boxOf(`0,0,${limits.image.sideMin - 1},500`)).toBe('invalid_options');
  });

  it('is in a job only where it was asked for', () => {
    const asked = resolveOptions({ region: '10%,5%,45%,90%' });
    expect(asked.ok && asked.value.region).toEqual({ unit: 'share', x: 0.1, y: 0.05, width: 0.45, height: 0.9 });
    const without = resolveOptions({});
    expect(without.ok && 'region' in without.value).toBe(false);
  });
});
