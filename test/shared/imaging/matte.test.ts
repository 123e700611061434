import { describe, expect, it } from 'vitest';
import { connectedComponents, removeSpuriousComponents } from '../../../shared/imaging/components.ts';
import { certainty, intersectionOverUnion } from '../../../shared/imaging/confidence.ts';
import { cutEnclosedHoles } from '../../../shared/imaging/enclosed-holes.ts';
import { fusePasses } from '../../../shared/imaging/fuse-passes.ts';
import type { Gray } from '../../../shared/imaging/raster.ts';
import { resolveSoftRegions } from '../../../shared/imaging/soft-regions.ts';

const W = 160;
const H = 120;
const drawn = (alphaAt: (x: number, y: number) => number): Gray => ({
  data: Uint8Array.from({ length: W * H }, (_, i) => alphaAt(i % W, Math.floor(i / W))),
  width: W,
  height: H,
});
const at = (matte: Gray, x: number, y: number): number => matte.data[y * matte.width + x]!;
const inBox = (x: number, y: number, left: number, top: number, right: number, bottom: number): boolean =>
  x >= left && x < right && y >= top && y < bottom;

describe('removeSpuriousComponents', () => {
  it('clears crumbs, keeps both parts of a pair, keeps holes open', () => {
    const matte = drawn((x, y) => {
      if (inBox(x, y, 30, 40, 40, 50)) return 0;
      return inBox(x, y, 10, 20, 60, 100) || inBox(x, y, 90, 20, 140, 100) || inBox(x, y, 75, 5, 79, 9) ? 255 : 0;
    });
    const mass = removeSpuriousComponents(matte, [matte, matte]);
    expect(at(matte, 76, 6)).toBe(0);
    expect([at(matte, 15, 30), at(matte, 100, 30), at(matte, 35, 45)]).toEqual([255, 255, 0]);
    expect(mass).toBe(50 * 80 - 100 + 50 * 80);
  });

  it('clears a soft region that is nowhere more product than background, however wide', () => {
    const matte = drawn((x, y) => (inBox(x, y, 20, 20, 50, 50) ? 255 : inBox(x, y, 80, 10, 150, 110) ? 90 : 0));
    removeSpuriousComponents(matte, [matte, matte]);
    expect([at(matte, 30, 30), at(matte, 100, 60)]).toEqual([255, 0]);
  });

  it('clears what is apart and supported by one pass only, keeps it with two of three; the product itself needs no second pass', () => {
    const product = (x: number, y: number): boolean => inBox(x, y, 10, 20, 60, 100);
    const seam = (x: number, y: number): boolean => inBox(x, y, 70, 110, 150, 116);
    const second = (x: number, y: number): boolean => inBox(x, y, 90, 20, 120, 80);
    const matte = drawn((x, y) => (product(x, y) || seam(x, y) || second(x, y) ? 255 : 0));
    const fine = drawn((x, y) => (second(x, y) ? 255 : 0));
    const coarse = drawn((x, y) => (product(x, y) || seam(x, y) ? 255 : 0));
    const close = drawn((x, y) => (second(x, y) && y < 50 ? 255 : 0));
    const mass = removeSpuriousComponents(matte, [fine, coarse, close]);
    expect([at(matte, 30, 50), at(matte, 100, 112), at(matte, 100, 30)]).toEqual([255, 0, 255]);
    expect(mass).toBe(50 * 80 + 30 * 60);
  });

  it('shapes that join only further down, or only at a corner, are one component', () => {
    expect(
      connectedComponents(
        drawn((x, y) =>
          inBox(x, y, 10, 10, 20, 60) || inBox(x, y, 40, 10, 50, 60) || inBox(x, y, 10, 60, 50, 70) ? 255 : 0,
        ),
      ).length,
    ).toBe(1);
    expect(
      connectedComponents(drawn((x, y) => (inBox(x, y, 10, 10, 20, 20) || inBox(x, y, 20, 20, 30, 30) ? 255 : 0)))
        .length,
    ).toBe(1);
    expect(
      connectedComponents(drawn((x, y) => (inBox(x, y, 10, 10, 20, 20) || inBox(x, y, 21, 21, 30, 30) ? 255 : 0)))
        .length,
    ).toBe(2);
    // The last sample of a row and the first of the next are not neighbours.
    expect(
      connectedComponents(drawn((x, y) => (inBox(x, y, W - 4, 10, W, 14) || inBox(x, y, 0, 12, 4, 16) ? 255 : 0)))
        .length,
    ).toBe(2);
  });
});

describe('fusePasses', () => {
  const body = (x: number, y: number): boolean => inBox(x, y, 30, 20, 130, 100);
  it('a part that only the coarse pass finds is product', () => {
    const fine = drawn((x, y) => (inBox(x, y, 70, 50, 90, 70) ? 255 : 0));
    const coarse = drawn((x, y) => (body(x, y) ? 255 : 0));
    const fused = fusePasses([
      { matte: fine, edgeWeight: 1 },
      { matte: coarse, edgeWeight: 0.2 },
    ]);
    expect([at(fused, 45, 35), at(fused, 80, 60), at(fused, 10, 10)]).toEqual([255, 255, 0]);
  });

  it('where both passes agree, the fine one decides the edge', () => {
    const fine = drawn((x, y) => (body(x, y) ? 255 : 0));
    const soft = drawn((x, y) => Math.max(0, Math.min(255, 128 + 40 * Math.min(x - 30, 130 - x, y - 20, 100 - y))));
    const fused = fusePasses([
      { matte: fine, edgeWeight: 1 },
      { matte: soft, edgeWeight: 0.2 },
    ]);
    expect(at(fused, 32, 60)).toBeGreaterThan(240);
    expect(at(fused, 28, 60)).toBeLessThan(20);
  });
});

it('cutEnclosedHoles cuts background that the fine pass encloses with product, and none that reaches the border', () => {
  const ring = drawn((x, y) => (inBox(x, y, 30, 20, 130, 100) && !inBox(x, y, 60, 40, 100, 80) ? 255 : 0));
  const filled = drawn((x, y) => (inBox(x, y, 20, 10, 140, 110) ? 255 : 0));
  cutEnclosedHoles(filled, ring);
  expect([at(filled, 80, 60), at(filled, 45, 60), at(filled, 24, 60)]).toEqual([0, 255, 255]);
  const gap = drawn((x, y) => (at(ring, x, y) === 255 && !inBox(x, y, 78, 80, 82, 100) ? 255 : 0));
  const whole = drawn(() => 255);
  cutEnclosedHoles(whole, gap);
  expect(at(whole, 80, 60)).toBe(255);
});

describe('resolveSoftRegions', () => {
  it('clears a veil, completes a half transparent body, keeps the softness of an edge', () => {
    const matte = drawn((x, y) => {
      if (x < 50) return 70;
      if (x >= 110) return 190;
      return Math.max(0, Math.min(255, Math.round((y - 58) * 64)));
    });
    const before = matte.data.slice();
    resolveSoftRegions(matte);
    expect([at(matte, 15, 60), at(matte, 150, 60)]).toEqual([0, 255]);
    for (const y of [58, 59, 60, 61, 62]) expect(at(matte, 80, y)).toBe(before[y * W + 80]);
  });
});

it('certainty is 1 for an opaque matte and 0 for a half transparent one; intersection over union compares at one half', () => {
  const left = drawn((x) => (x < 80 ? 255 : 0));
  const wider = drawn((x) => (x < 120 ? 200 : 0));
  expect(intersectionOverUnion(left, wider)).toBeCloseTo(80 / 120, 6);
  expect(certainty(left)).toBe(1);
  expect(certainty(drawn(() => 128))).toBeLessThan(0.01);
});
