/**
 * Regions: what the passes and the backdrop say of a cell makes its code; cells of one code that hang together are a
 * region, and a region is decided as a whole. Passes err in regions, not in pixels: a missed part, a filled opening, a
 * shadow, a prop.
 */
import type { Backdrop, ColourGrid } from './backdrop.ts';
import { floodFill } from './flood-fill.ts';

/** What is known of each cell of a grid, row-major. `fine`, `coarse`, `crop`: local means of the passes, 0..255. */
export type Cells = {
  readonly width: number;
  readonly height: number;
  readonly fine: Float32Array;
  readonly coarse: Float32Array;
  /** The fine pass once more where there is no crop. */
  readonly crop: Float32Array;
  readonly colours: ColourGrid;
  readonly backdrop: Backdrop | undefined;
};

export type Regions = {
  /** Region of each cell. */
  readonly label: Int32Array;
  /** Cells of each region. */
  readonly area: Int32Array;
  /** Code of each region: bits below. */
  readonly code: Uint8Array;
};

/** Bits of a code: what calls the cell product, and whether its colour differs from the backdrop. */
export const FINE = 1;
export const COARSE = 2;
export const CROP = 4;
export const DIFFERS = 8;
export const ALL_PASSES = FINE | COARSE | CROP;

/** A cell this many times the noise away from the backdrop differs from it. */
const DIFFERS_NOISE = 5;

export const findRegions = (cells: Cells): Regions => {
  const codes = codesOf(cells);
  const label = new Int32Array(codes.length).fill(-1);
  const reached = new Int32Array(codes.length);
  const area: number[] = [];
  const code: number[] = [];
  for (let start = 0; start < codes.length; start++) {
    if (label[start] !== -1) continue;
    const region = area.length;
    const wanted = codes[start]!;
    const enter = (at: number): boolean => {
      if (label[at] !== -1 || codes[at] !== wanted) return false;
      label[at] = region;
      return true;
    };
    area.push(floodFill(start, cells, enter, reached));
    code.push(wanted);
  }
  return { label, area: Int32Array.from(area), code: Uint8Array.from(code) };
};

const codesOf = ({ fine, coarse, crop, backdrop }: Cells): Uint8Array =>
  Uint8Array.from(fine, (alpha, i) => {
    const passes = (alpha > 127 ? FINE : 0) | (coarse[i]! > 127 ? COARSE : 0) | (crop[i]! > 127 ? CROP : 0);
    return passes | (backdrop && backdrop.distance[i]! > DIFFERS_NOISE * backdrop.noise ? DIFFERS : 0);
  });
