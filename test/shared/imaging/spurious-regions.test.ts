import { describe, expect, it } from 'vitest';
import type { Gray } from '../../../shared/imaging/raster.ts';
import { findSpuriousRegions, suppressRegions } from '../../../shared/imaging/spurious-regions.ts';

const W = 200;
const H = 160;
type Shape = (x: number, y: number) => boolean;
const box =
  (left: number, top: number, right: number, bottom: number): Shape =>
  (x, y) =>
    x >= left && x < right && y >= top && y < bottom;
const any =
  (...shapes: Shape[]): Shape =>
  (x, y) =>
    shapes.some((shape) => shape(x, y));
const drawn = (shape: Shape, value = 255): Gray => ({
  data: Uint8Array.from({ length: W * H }, (_, i) => (shape(i % W, Math.floor(i / W)) ? value : 0)),
  width: W,
  height: H,
});

const product = box(40, 40, 120, 120);
/** Whether the coarse pass's claim of `part` is suppressed, at every sample of it. */
const isSuppressed = (part: Shape, foundByFine: Shape = product): boolean => {
  const fine = drawn(foundByFine);
  const coarse = drawn(any(product, part));
  const mask = findSpuriousRegions(drawn(any(product, part)), [fine], coarse);
  if (!mask) return false;
  suppressRegions(mask, [fine], coarse);
  expect(coarse.data).toEqual(fine.data);
  return true;
};

describe('a region that only the coarse pass finds', () => {
  const bar = any(box(120, 90, 130, 94), box(130, 80, 170, 104));

  it('is suppressed where a narrow neck joins it to the product', () => {
    expect(isSuppressed(bar)).toBe(true);
  });
  it('is suppressed where it reaches a border of the frame that the product does not', () => {
    expect(isSuppressed(box(120, 60, W, 68))).toBe(true);
  });
  it('stays where the product reaches the same border', () => {
    const cutOff = any(product, box(40, 120, 60, H));
    expect(isSuppressed(any(cutOff, box(120, 100, 126, H), box(126, 130, 150, H)), cutOff)).toBe(false);
  });
  it('stays where it borders on the product along a broad front', () => {
    expect(isSuppressed(box(120, 45, 140, 115))).toBe(false);
  });
  it('stays where it is most of the whole: the finer pass found a print only', () => {
    const print = box(70, 70, 90, 90);
    expect(isSuppressed(product, print)).toBe(false);
  });
  it('stays where it is tiny', () => {
    expect(isSuppressed(box(120, 60, 130, 63))).toBe(false);
  });
  it('stays where a finer pass finds it too', () => {
    expect(isSuppressed(bar, any(product, bar))).toBe(false);
  });
  it('stays where one of two finer passes finds it', () => {
    const coarse = drawn(any(product, bar));
    expect(
      findSpuriousRegions(drawn(any(product, bar)), [drawn(product), drawn(any(product, bar), 140)], coarse),
    ).toBeUndefined();
  });
});

it('the edge of the finer pass is left as it is there', () => {
  const sill = box(120, 60, W, 68);
  const soft: Gray = drawn(product);
  for (let y = 0; y < H; y++) soft.data[y * W + 120] = product(119, y) ? 90 : 0;
  const coarse = drawn(any(product, sill));
  const mask = findSpuriousRegions(drawn(any(product, sill)), [soft], coarse);
  if (!mask) throw new Error('the sill is not found');
  suppressRegions(mask, [soft], coarse);
  expect(coarse.data[64 * W + 120]).toBe(90);
  expect(coarse.data[64 * W + 130]).toBe(0);
  expect(coarse.data[64 * W + 100]).toBe(255);
});
