import { describe, expect, it } from 'vitest';
import { keepWithin } from '../../../shared/imaging/keep-within.ts';
import type { Box, Gray } from '../../../shared/imaging/raster.ts';

const matteOf = (...boxes: Box[]): Gray => {
  const matte = { width: 100, height: 60, data: new Uint8Array(6_000) };
  for (const { x, y, width, height } of boxes)
    for (let row = y; row < y + height; row++) matte.data.fill(255, row * 100 + x, row * 100 + x + width);
  return matte;
};
const areaOf = ({ data }: Gray): number => data.reduce((sum, value) => sum + value / 255, 0);

describe('what a box holds of a matte', () => {
  it('is what lies in it for the larger part; what lies mostly elsewhere goes as a whole', () => {
    const matte = matteOf({ x: 10, y: 10, width: 30, height: 40 }, { x: 45, y: 10, width: 40, height: 40 });
    expect(keepWithin(matte, { x: 5, y: 5, width: 45, height: 50 })).toBe(false);
    expect(areaOf(matte)).toBe(1_200);
  });

  it('stays whole where the box is a little too tight', () => {
    const matte = matteOf({ x: 10, y: 10, width: 50, height: 40 });
    expect(keepWithin(matte, { x: 11, y: 11, width: 48, height: 38 })).toBe(false);
    expect(areaOf(matte)).toBe(2_000);
  });

  it('is cut off at the box where much more of it lies outside, and that is said', () => {
    const matte = matteOf({ x: 10, y: 10, width: 60, height: 40 });
    expect(keepWithin(matte, { x: 0, y: 0, width: 50, height: 60 })).toBe(true);
    expect(areaOf(matte)).toBe(40 * 40);
  });

  it('is nothing where nothing is in it', () => {
    const matte = matteOf({ x: 60, y: 10, width: 30, height: 40 });
    expect(keepWithin(matte, { x: 0, y: 0, width: 40, height: 60 })).toBe(false);
    expect(areaOf(matte)).toBe(0);
  });
});
