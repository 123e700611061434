import { describe, expect, it } from 'vitest';
import { type ColourGrid, measureBackdrop } from '../../../shared/imaging/backdrop.ts';
import { decideRegions } from '../../../shared/imaging/decide-regions.ts';
import type { Cells } from '../../../shared/imaging/regions.ts';

const W = 128;
const H = 96;
type Shape = (x: number, y: number) => boolean;
const box =
  (left: number, top: number, right: number, bottom: number): Shape =>
  (x, y) =>
    x >= left && x < right && y >= top && y < bottom;
const any =
  (...shapes: Shape[]): Shape =>
  (x, y) =>
    shapes.some((shape) => shape(x, y));
const without =
  (shape: Shape, hole: Shape): Shape =>
  (x, y) =>
    shape(x, y) && !hole(x, y);

const plane = (valueAt: (x: number, y: number) => number): Float32Array =>
  Float32Array.from({ length: W * H }, (_, i) => valueAt(i % W, Math.floor(i / W)));
const alphaOf = (shape: Shape): Float32Array => plane((x, y) => (shape(x, y) ? 255 : 0));
/** Sensor noise of one cell, −1..1; the same at every run. */
const grain = (x: number, y: number, c: number): number => {
  const value = Math.sin(x * 12.9898 + y * 78.233 + c * 37.719) * 43758.5453;
  return 2 * (value - Math.floor(value)) - 1;
};
type Colour = (x: number, y: number) => readonly [number, number, number];
const gridOf = (colour: Colour, noise = 0.5): ColourGrid => {
  const channel = (c: 0 | 1 | 2): Float32Array => plane((x, y) => colour(x, y)[c] + noise * grain(x, y, c));
  return { r: channel(0), g: channel(1), b: channel(2), width: W, height: H };
};
const grey = (level: number): readonly [number, number, number] => [level, level, level];

/** What is decided, 1 where product, from what passes find in a picture. */
const decided = (
  colour: Colour,
  fine: Shape,
  coarse: Shape,
  crop: Shape = fine,
): ((x: number, y: number) => number) => {
  const colours = gridOf(colour);
  const found: Shape = any(fine, coarse, crop);
  const isBackground = Uint8Array.from(alphaOf(found), (alpha) => (alpha === 0 ? 1 : 0));
  const cells: Cells = {
    width: W,
    height: H,
    fine: alphaOf(fine),
    coarse: alphaOf(coarse),
    crop: alphaOf(crop),
    colours,
    backdrop: measureBackdrop(colours, isBackground),
  };
  const { alpha } = decideRegions(cells);
  return (x, y) => (alpha[y * W + x]! > 127 ? 1 : 0);
};

const body = box(32, 20, 96, 76);
const opening = box(52, 36, 76, 60);

describe('on a plain backdrop', () => {
  const onWhite =
    (shape: Shape, level: number, paper = 250): Colour =>
    (x, y) =>
      grey(shape(x, y) ? level : paper);

  it('an opening that shows the backdrop is open where one of the passes fills it', () => {
    const ring = without(body, opening);
    const at = decided(onWhite(ring, 110), ring, body);
    expect([at(64, 48), at(40, 30), at(10, 10)]).toEqual([0, 1, 0]);
  });

  it.each([8, 30])(
    'a pale product %i levels from the backdrop is whole where one of three passes finds its print only',
    (levels) => {
      const print = box(52, 36, 70, 52);
      const colour: Colour = (x, y) => grey(print(x, y) ? 60 : body(x, y) ? 250 - levels : 250);
      const at = decided(colour, print, body, body);
      expect([at(40, 30), at(60, 44), at(88, 70), at(10, 10)]).toEqual([1, 1, 1, 0]);
    },
  );

  it('a soft shadow that one pass takes for product is background', () => {
    const shadow = box(28, 76, 100, 88);
    const colour: Colour = (x, y) => grey(body(x, y) ? 90 : shadow(x, y) ? 250 - 5 * (88 - y) : 250);
    const at = decided(colour, body, any(body, shadow));
    expect([at(64, 50), at(64, 80)]).toEqual([1, 0]);
  });
});

describe('apart from the product', () => {
  const bar = box(100, 10, 124, 40);
  // Dark on white, so that colour alone speaks for it.
  const colour: Colour = (x, y) => grey(body(x, y) || bar(x, y) ? 60 : 250);

  it('what one of three passes finds is background, what two find stays', () => {
    const lone = decided(colour, any(body, bar), body, body);
    expect([lone(64, 50), lone(112, 25)]).toEqual([1, 0]);
    const pair = decided(colour, any(body, bar), any(body, bar), body);
    expect([pair(64, 50), pair(112, 25)]).toEqual([1, 1]);
  });
});

describe('without a plain backdrop', () => {
  const texture: Colour = (x, y) => [128 + 90 * grain(x, y, 3), 110 + 90 * grain(x, y, 4), 90 + 90 * grain(x, y, 5)];

  it('there is none to measure', () => {
    expect(measureBackdrop(gridOf(texture), new Uint8Array(W * H).fill(1))).toBeUndefined();
  });

  it('what one pass alone finds, and a narrow neck joins to the product, is background; what two find is product', () => {
    const bar = any(box(96, 44, 104, 48), box(104, 36, 122, 60));
    expect(decided(texture, body, any(body, bar))(112, 48)).toBe(0);
    expect(decided(texture, any(body, bar), any(body, bar), body)(112, 48)).toBe(1);
  });

  it('what is apart from the product and found by one of three passes is background', () => {
    const apart = box(104, 40, 120, 56);
    expect(decided(texture, body, any(body, apart), body)(112, 48)).toBe(0);
  });

  it('a product that all passes agree on is theirs', () => {
    const at = decided(texture, body, body);
    for (const [x, y] of [
      [33, 21],
      [64, 48],
      [95, 75],
    ] as const)
      expect(at(x, y)).toBe(1);
    expect([at(30, 48), at(64, 80), at(2, 2)]).toEqual([0, 0, 0]);
  });
});

describe('measureBackdrop', () => {
  const everywhere = new Uint8Array(W * H).fill(1);
  const sweep = (x: number, y: number): number => 235 - 0.0006 * ((x - 50) ** 2 + 2 * (y - 30) ** 2) + 0.05 * x;
  const tinted: Colour = (x, y) => [sweep(x, y), sweep(x, y) * 0.96, sweep(x, y) * 0.9];

  it('follows a smoothly lit sweep, and sees what differs from it by five levels', () => {
    const patch = box(40, 30, 70, 60);
    const colour: Colour = (x, y) =>
      tinted(x, y).map((level) => level - (patch(x, y) ? 5 : 0)) as [number, number, number];
    const backdrop = measureBackdrop(gridOf(colour), everywhere)!;
    expect(backdrop.noise).toBeLessThan(1);
    expect(backdrop.distance[45 * W + 55]).toBeGreaterThan(5 * backdrop.noise);
    expect(backdrop.distance[10 * W + 100]).toBeLessThan(3 * backdrop.noise);
  });

  it('a shadow is darker and has no chroma; paint of the same brightness has', () => {
    const colour: Colour = (x, y) => {
      const [r, g, b] = tinted(x, y);
      if (box(40, 70, 90, 85)(x, y)) return [r * 0.8, g * 0.8, b * 0.8];
      return box(40, 20, 60, 40)(x, y) ? [r - 30, g, b + 30] : [r, g, b];
    };
    const backdrop = measureBackdrop(gridOf(colour), everywhere)!;
    const [shadow, paint] = [78 * W + 60, 30 * W + 50];
    expect(backdrop.light[shadow]).toBeLessThan(-30);
    expect(backdrop.chroma[shadow]).toBeLessThan(2);
    expect(Math.abs(backdrop.light[paint]!)).toBeLessThan(3);
    expect(backdrop.chroma[paint]).toBeGreaterThan(20);
  });

  it('says nothing where too little background is known', () => {
    expect(
      measureBackdrop(
        gridOf(() => grey(250)),
        Uint8Array.from(alphaOf(box(0, 0, 4, 4))),
      ),
    ).toBeUndefined();
    expect(
      measureBackdrop(
        gridOf(() => grey(250)),
        new Uint8Array(W * H),
      ),
    ).toBeUndefined();
  });
});
