/** Rows of a picture as a screen draws them: one colour from side to side, with small marks on it. */
import type { Rgb } from '../raster.ts';

/** Levels by which a sample may differ from its row's colour: what JPEG leaves around letters is more. */
const FLAT_MAX = 10;
/** Levels from which a sample is a mark. */
const MARK_MIN = 36;
/** Share of a row's samples that have its colour where it has no marks. */
const CLEAN_SHARE_MIN = 0.985;

export type Colour = readonly [red: number, green: number, blue: number];
export type Span = { readonly from: number; readonly to: number };

export const lengthOf = ({ from, to }: Span): number => to - from;
export const middleOf = ({ from, to }: Span): number => (from + to) / 2;

export type Rows = {
  readonly width: number;
  readonly height: number;
  /** The row's colour where nearly all of it has one. */
  clean(y: number): Colour | undefined;
  /** Columns with marks on `ground` in any of the rows `from` up to `to`, joined over gaps of up to `gap` columns. */
  marks(ground: Colour, rows: Span, gap: number): Span[];
  hasMarks(ground: Colour, y: number): boolean;
  /** Share of a row's samples that have that colour, up to `max` levels. */
  share(ground: Colour, y: number, max?: number): number;
  at(x: number, y: number): Colour;
};

export const isAlike = (a: Colour, b: Colour, max = FLAT_MAX): boolean =>
  Math.abs(a[0] - b[0]) <= max && Math.abs(a[1] - b[1]) <= max && Math.abs(a[2] - b[2]) <= max;

export const rowsOf = ({ data, width, height }: Rgb): Rows => {
  const at = (x: number, y: number): Colour => {
    const p = (y * width + x) * 3;
    return [data[p]!, data[p + 1]!, data[p + 2]!];
  };
  const isNear = (ground: Colour, p: number, max: number): boolean =>
    Math.abs(data[p]! - ground[0]) <= max &&
    Math.abs(data[p + 1]! - ground[1]) <= max &&
    Math.abs(data[p + 2]! - ground[2]) <= max;
  const share = (ground: Colour, y: number, max = FLAT_MAX): number => {
    let near = 0;
    for (let x = 0, p = y * width * 3; x < width; x++, p += 3) if (isNear(ground, p, max)) near++;
    return near / width;
  };
  const isMark = (ground: Colour, x: number, y: number): boolean => !isNear(ground, (y * width + x) * 3, MARK_MIN);
  return {
    width,
    height,
    at,
    share,
    clean: (y) => {
      const ground = at(0, y);
      return share(ground, y) >= CLEAN_SHARE_MIN ? ground : undefined;
    },
    hasMarks: (ground, y) => {
      for (let x = 0; x < width; x++) if (isMark(ground, x, y)) return true;
      return false;
    },
    marks: (ground, { from, to }, gap) => {
      const spans: Span[] = [];
      for (let x = 0; x < width; x++) {
        let marked = false;
        for (let y = from; y < to && !marked; y++) marked = isMark(ground, x, y);
        if (!marked) continue;
        const last = spans.at(-1);
        if (last && x - last.to <= gap) spans[spans.length - 1] = { from: last.from, to: x + 1 };
        else spans.push({ from: x, to: x + 1 });
      }
      return spans;
    },
  };
};

/** The first row from `from` in the direction of `step` that is not clean in `ground`, at most `limit` rows away. */
export const endOfClean = (rows: Rows, ground: Colour, from: number, step: 1 | -1, limit: number): number => {
  let y = from;
  while (Math.abs(y - from) < limit && y >= 0 && y < rows.height && rows.share(ground, y) >= CLEAN_SHARE_MIN) y += step;
  return y;
};

/** The first row from `from` on that is clean in `ground` again; undefined where none is within `limit` rows. */
export const endOfMarks = (
  rows: Rows,
  ground: Colour,
  from: number,
  step: 1 | -1,
  limit: number,
): number | undefined => {
  for (let y = from; Math.abs(y - from) <= limit && y >= 0 && y < rows.height; y += step)
    if (rows.share(ground, y) >= CLEAN_SHARE_MIN) return y;
  return undefined;
};
