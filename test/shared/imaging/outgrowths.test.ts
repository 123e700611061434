import { describe, expect, it } from 'vitest';
import { outgrowths, withdraw } from '../../../shared/imaging/outgrowths.ts';
import type { Gray } from '../../../shared/imaging/raster.ts';

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
/** Whether the coarse look's claim of `part` is withdrawn, at the part's every sample. */
const isWithdrawn = (part: Shape, seenByFine: Shape = product): boolean => {
  const fine = drawn(seenByFine);
  const coarse = drawn(any(product, part));
  const mask = outgrowths(drawn(any(product, part)), [fine], coarse);
  if (!mask) return false;
  withdraw(mask, [fine], coarse);
  expect(coarse.data).toEqual(fine.data);
  return true;
};

describe('what the coarse look alone claims', () => {
  const bar = any(box(120, 90, 130, 94), box(130, 80, 170, 104));

  it('goes where a narrow neck joins it to the product', () => {
    expect(isWithdrawn(bar)).toBe(true);
  });
  it('goes where it runs on to a side of the frame that the product does not reach', () => {
    expect(isWithdrawn(box(120, 60, W, 68))).toBe(true);
  });
  it('stays where the product runs on to the same side', () => {
    const cutOff = any(product, box(40, 120, 60, H));
    expect(isWithdrawn(any(cutOff, box(120, 100, 126, H), box(126, 130, 150, H)), cutOff)).toBe(false);
  });
  it('stays where it hangs together with the product over a broad front', () => {
    expect(isWithdrawn(box(120, 45, 140, 115))).toBe(false);
  });
  it('stays where it is the better part of the whole: the finer look saw a print', () => {
    const print = box(70, 70, 90, 90);
    expect(isWithdrawn(product, print)).toBe(false);
  });
  it('stays where it is a crumb', () => {
    expect(isWithdrawn(box(120, 60, 130, 63))).toBe(false);
  });
  it('stays where a finer look sees it too', () => {
    expect(isWithdrawn(bar, any(product, bar))).toBe(false);
  });
  it('stays where one of two finer looks sees it', () => {
    const coarse = drawn(any(product, bar));
    expect(
      outgrowths(drawn(any(product, bar)), [drawn(product), drawn(any(product, bar), 140)], coarse),
    ).toBeUndefined();
  });
});

it('the edge that the finer look draws there is left as it is', () => {
  const sill = box(120, 60, W, 68);
  const soft: Gray = drawn(product);
  for (let y = 0; y < H; y++) soft.data[y * W + 120] = product(119, y) ? 90 : 0;
  const coarse = drawn(any(product, sill));
  const mask = outgrowths(drawn(any(product, sill)), [soft], coarse);
  if (!mask) throw new Error('the sill is an outgrowth');
  withdraw(mask, [soft], coarse);
  expect(coarse.data[64 * W + 120]).toBe(90);
  expect(coarse.data[64 * W + 130]).toBe(0);
  expect(coarse.data[64 * W + 100]).toBe(255);
});
