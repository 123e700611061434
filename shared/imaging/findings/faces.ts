/**
 * Faces by BlazeFace, a detector of faces that take a tenth of its square or more. It is shown all of the photo, and
 * overlapping squares of half the photo's longer side, for people who are seen whole. docs/findings.md has the figures.
 */
import { longerSide, scaleBox } from '../box.ts';
import type { Box, Rgb, Size } from '../raster.ts';

export type Face = { readonly score: number; readonly box: Box };

/** Side of what the detector sees, px. */
export const FACE_SIDE = 256;
/** Anchors at each place of a grid of so many by so many. */
const GRIDS = [
  { places: 16, anchors: 2 },
  { places: 8, anchors: 6 },
] as const;
export const FACE_ANCHORS = 16 * 16 * 2 + 8 * 8 * 6;
/** Of one anchor: its score before the sigmoid; the box's centre, from the anchor's own, and its size, px. */
export const FACE_FIGURES = 5;
/** docs/findings.md */
const SCORE_MIN = 0.88;

/** Sizes at which a photo is read: one square, and two squares long. */
export const faceFrames = ({ width, height }: Size): { readonly whole: Size; readonly halves: Size } => {
  const scaled = (side: number): Size => {
    const scale = side / longerSide({ width, height });
    return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
  };
  return { whole: scaled(FACE_SIDE), halves: scaled(2 * FACE_SIDE) };
};

/** Upper left corners along a side: as many as overlap by half, or one in the middle that leaves the side. */
const cornersAlong = (side: number): number[] => {
  const room = side - FACE_SIDE;
  if (room <= 0) return [Math.floor(room / 2)];
  const count = Math.ceil((2 * side) / FACE_SIDE - 1);
  return Array.from({ length: count }, (_, i) => Math.round((room * i) / (count - 1)));
};

/** Of a picture of `size`, which is one of `faceFrames`. */
const cornersOf = ({ width, height }: Size): { readonly x: number; readonly y: number }[] =>
  cornersAlong(height).flatMap((y) => cornersAlong(width).map((x) => ({ x, y })));

/** One under the other: the whole photo, then the squares. What lies outside the photo is black. */
export const faceSquares = (whole: Rgb, halves: Rgb): Rgb => {
  const squares = [whole, halves].flatMap((picture) => cornersOf(picture).map((corner) => ({ picture, ...corner })));
  const data = new Uint8Array(squares.length * FACE_SIDE * FACE_SIDE * 3);
  for (const [i, { picture, x, y }] of squares.entries())
    copySquare(picture, x, y, data.subarray(i * FACE_SIDE * FACE_SIDE * 3));
  return { data, width: FACE_SIDE, height: squares.length * FACE_SIDE };
};

const copySquare = ({ data, width, height }: Rgb, left: number, top: number, into: Uint8Array): void => {
  const [from, to] = [Math.max(0, left), Math.min(width, left + FACE_SIDE)];
  for (let y = Math.max(0, top); y < Math.min(height, top + FACE_SIDE); y++)
    into.set(data.subarray((y * width + from) * 3, (y * width + to) * 3), ((y - top) * FACE_SIDE + from - left) * 3);
};

/**
 * `figures`: FACE_ANCHORS × FACE_FIGURES for each square of `faceSquares`. The surest face of each, the surest first, in
 * the pixels of `picture`.
 */
export const facesIn = (figures: Float32Array, frames: ReturnType<typeof faceFrames>, picture: Size): Face[] => {
  const squares = [frames.whole, frames.halves].flatMap((size) =>
    cornersOf(size).map((corner) => ({ ...corner, scale: picture.width / size.width })),
  );
  return squares
    .flatMap(({ x, y, scale }, i) => {
      const per = FACE_ANCHORS * FACE_FIGURES;
      const face = surestOf(figures.subarray(i * per, (i + 1) * per));
      if (!face) return [];
      const { score, box } = face;
      return { score, box: scaleBox({ ...box, x: box.x + x, y: box.y + y }, scale) };
    })
    .sort((a, b) => b.score - a.score);
};

/** In the square's pixels; undefined where none is sure enough. */
const surestOf = (figures: Float32Array): Face | undefined => {
  let best = 0;
  for (let i = 1; i < FACE_ANCHORS; i++)
    if ((figures[i * FACE_FIGURES] as number) > (figures[best * FACE_FIGURES] as number)) best = i;
  const [logit = 0, x = 0, y = 0, width = 0, height = 0] = figures.subarray(
    best * FACE_FIGURES,
    (best + 1) * FACE_FIGURES,
  );
  const score = 1 / (1 + Math.exp(-logit));
  if (score < SCORE_MIN) return undefined;
  const anchor = anchorAt(best);
  return { score, box: { x: anchor.x + x - width / 2, y: anchor.y + y - height / 2, width, height } };
};

/** Centre of an anchor, px. */
const anchorAt = (index: number): { readonly x: number; readonly y: number } => {
  let at = index;
  for (const { places, anchors } of GRIDS) {
    if (at < places * places * anchors) {
      const place = Math.floor(at / anchors);
      const step = FACE_SIDE / places;
      return { x: ((place % places) + 0.5) * step, y: (Math.floor(place / places) + 0.5) * step };
    }
    at -= places * places * anchors;
  }
  throw new Error(`there is no anchor ${index}`);
};
