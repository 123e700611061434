import { describe, expect, it } from 'vitest';
import { connectedComponents, removeSpuriousComponents } from '../../../shared/imaging/components.ts';
import { certainty, intersectionOverUnion } from '../../../shared/imaging/confidence.ts';
import { cellMeans, fusePasses, type Pass } from '../../../shared/imaging/fuse-passes.ts';
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
    const mass = removeSpuriousComponents(matte);
    expect(at(matte, 76, 6)).toBe(0);
    expect([at(matte, 15, 30), at(matte, 100, 30), at(matte, 35, 45)]).toEqual([255, 255, 0]);
    expect(mass).toBe(50 * 80 - 100 + 50 * 80);
  });

  it('clears a soft region that is nowhere more product than background, however wide', () => {
    const matte = drawn((x, y) => (inBox(x, y, 20, 20, 50, 50) ? 255 : inBox(x, y, 80, 10, 150, 110) ? 90 : 0));
    removeSpuriousComponents(matte);
    expect([at(matte, 30, 30), at(matte, 100, 60)]).toEqual([255, 0]);
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

const pass = (matte: Gray, edgeWeight: number): Pass => ({ matte, means: cellMeans(matte), edgeWeight });

describe('fusePasses', () => {
  const body = (x: number, y: number): boolean => inBox(x, y, 30, 20, 130, 100);
  it('draws what is decided: a part that only the coarse pass finds, and not what only the coarse pass finds elsewhere', () => {
    const fine = drawn((x, y) => (inBox(x, y, 70, 50, 90, 70) ? 255 : 0));
    const coarse = drawn((x, y) => (body(x, y) ? 255 : 0));
    const passes = [pass(fine, 1), pass(coarse, 0.2)];
    const whole = fusePasses(passes, cellMeans(coarse));
    expect([at(whole, 45, 35), at(whole, 80, 60), at(whole, 10, 10)]).toEqual([255, 255, 0]);
    const part = fusePasses(passes, cellMeans(fine));
    expect([at(part, 45, 35), at(part, 80, 60), at(part, 10, 10)]).toEqual([0, 255, 0]);
  });

  it('draws what is decided where no pass says so: an opening that all of them fill, a body that none of them finds', () => {
    const filled = drawn((x, y) => (body(x, y) ? 255 : 0));
    const nothing = drawn(() => 0);
    const open = drawn((x, y) => (body(x, y) && !inBox(x, y, 60, 40, 100, 80) ? 255 : 0));
    const opened = fusePasses([pass(filled, 1)], cellMeans(open));
    expect([at(opened, 80, 60), at(opened, 45, 60)]).toEqual([0, 255]);
    const found = fusePasses([pass(nothing, 1)], cellMeans(filled));
    expect([at(found, 80, 60), at(found, 10, 10)]).toEqual([255, 0]);
  });

  it('leaves cells alone about which nothing is left to decide, up to the last sample before an edge', () => {
    // One sample of another value in a cell, at any of its corners, and a decision that differs in a cell beside it.
    const odd = drawn((x, y) => (body(x, y) && !(x === 47 && y === 51) ? 255 : x === 11 && y === 8 ? 255 : 0));
    const full = drawn((x, y) => (body(x, y) ? 255 : 0));
    const decision = cellMeans(full);
    decision[25 * 40 + 20] = 0;
    const fused = fusePasses([pass(odd, 1)], decision);
    expect([at(fused, 47, 51), at(fused, 46, 51), at(fused, 11, 8), at(fused, 12, 8)]).toEqual([0, 255, 255, 0]);
  });

  it('where both passes agree, the fine one decides the edge', () => {
    const fine = drawn((x, y) => (body(x, y) ? 255 : 0));
    const soft = drawn((x, y) => Math.max(0, Math.min(255, 128 + 40 * Math.min(x - 30, 130 - x, y - 20, 100 - y))));
    const fused = fusePasses([pass(fine, 1), pass(soft, 0.2)], cellMeans(fine));
    expect(at(fused, 32, 60)).toBeGreaterThan(240);
    expect(at(fused, 28, 60)).toBeLessThan(20);
  });
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
