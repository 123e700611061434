import { describe, expect, it } from 'vitest';
import {
  FACE_ANCHORS,
  FACE_FIGURES,
  FACE_SIDE,
  faceFrames,
  faceSquares,
  facesIn,
} from '../../../../shared/imaging/findings/faces.ts';
import type { Rgb, Size } from '../../../../shared/imaging/raster.ts';

const filled = ({ width, height }: Size, value: number): Rgb => ({
  data: new Uint8Array(width * height * 3).fill(value),
  width,
  height,
});
const squaresOf = (photo: Size): number => {
  const { whole, halves } = faceFrames(photo);
  return faceSquares(filled(whole, 200), filled(halves, 100)).height / FACE_SIDE;
};

describe('the squares that the face detector sees', () => {
  it.each([
    [{ width: 3000, height: 3000 }, 10],
    [{ width: 3000, height: 4000 }, 7],
    [{ width: 4000, height: 1000 }, 4],
    [{ width: 40, height: 4000 }, 4],
  ])('of %o are %i: all of the photo, and overlapping halves', (photo, count) => {
    expect(squaresOf(photo)).toBe(count);
  });

  it('show the photo once in the middle of black, then from edge to edge', () => {
    const { whole, halves } = faceFrames({ width: 1000, height: 500 });
    expect([whole, halves]).toEqual([
      { width: 256, height: 128 },
      { width: 512, height: 256 },
    ]);
    const { data } = faceSquares(filled(whole, 200), filled(halves, 100));
    const at = (square: number, x: number, y: number): number | undefined =>
      data[((square * FACE_SIDE + y) * FACE_SIDE + x) * 3];
    expect([at(0, 0, 63), at(0, 0, 64), at(0, 255, 191), at(0, 255, 192)]).toEqual([0, 200, 200, 0]);
    for (const square of [1, 2, 3]) expect([at(square, 0, 0), at(square, 255, 255)], `${square}`).toEqual([100, 100]);
  });
});

describe('faces', () => {
  const photo = { width: 2000, height: 1000 };
  const frames = faceFrames(photo);
  /** Of four squares, in which one anchor of one square has these figures. */
  const found = (square: number, anchor: number, figures: readonly number[]) => {
    const all = new Float32Array(4 * FACE_ANCHORS * FACE_FIGURES);
    for (let i = 0; i < all.length; i += FACE_FIGURES) all[i] = -20;
    all.set(figures, (square * FACE_ANCHORS + anchor) * FACE_FIGURES);
    return facesIn(all, frames, photo);
  };

  it('lie where their anchor and its offsets say, in the pixels of the photo', () => {
    // The first place of the finer grid has its centre at 8, 8 of the square; the whole photo begins 64 px below its top.
    expect(found(0, 0, [5, 92, 96, 32, 40])).toEqual([
      {
        score: expect.closeTo(0.9933, 3),
        box: { x: 84 * 7.8125, y: (84 - 64) * 7.8125, width: 250, height: 40 * 7.8125 },
      },
    ]);
    // The last place of the coarser grid, in the square at the right end.
    expect(found(3, FACE_ANCHORS - 1, [5, -140, -140, 20, 20])[0]?.box).toEqual({
      x: (240 - 140 - 10 + 256) * 3.90625,
      y: (240 - 140 - 10) * 3.90625,
      width: 78.125,
      height: 78.125,
    });
  });

  it('are none below a score of 0.88, and none where the node looked for none', () => {
    expect(found(1, 7, [1.98, 0, 0, 20, 20])).toEqual([]);
    expect(found(1, 7, [2, 0, 0, 20, 20])).toHaveLength(1);
    expect(facesIn(new Float32Array(0), frames, photo)).toEqual([]);
  });
});
