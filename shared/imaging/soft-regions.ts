/**
 * Soft regions: wide areas that the network leaves half transparent. On white they would show as a veil, so they are
 * pushed to background or product.
 */
import { clamp, type Gray } from './raster.ts';

/** Side of a cell, samples, and reach of the local extremes, cells: an edge is narrower than both together. */
const CELL = 4;
const REACH = 4;
/** Local range of alpha, 0..1: up to the first there is no edge, from the second on there is one. */
const RANGE_NONE = 0.45;
const RANGE_EDGE = 0.8;
/** Away from edges, alpha up to the first becomes background, from the second on product, linear between. */
const BACKGROUND_MAX = 0.4;
const PRODUCT_MIN = 0.6;

/** Resolves soft regions in place; edges and what is 0 or 255 already stay as they are. */
export const resolveSoftRegions = (matte: Gray): void => {
  const { data, width, height } = matte;
  const gridWidth = Math.ceil(width / CELL);
  const { minima, maxima } = localExtremes(matte);
  for (let y = 0, at = 0; y < height; y++) {
    const row = Math.floor(y / CELL) * gridWidth;
    for (let x = 0; x < width; x++, at++) {
      const value = data[at]!;
      if (value === 0 || value === 255) continue;
      const cell = row + ((x / CELL) | 0);
      const edge = clamp(((maxima[cell]! - minima[cell]!) / 255 - RANGE_NONE) / (RANGE_EDGE - RANGE_NONE), 0, 1);
      if (edge === 1) continue;
      const resolved = 255 * clamp((value / 255 - BACKGROUND_MAX) / (PRODUCT_MIN - BACKGROUND_MAX), 0, 1);
      data[at] = Math.round(edge * value + (1 - edge) * resolved);
    }
  }
};

/** Least and greatest alpha within REACH cells, one value for each cell. */
const localExtremes = ({ data, width, height }: Gray): { minima: Uint8Array; maxima: Uint8Array } => {
  const gridWidth = Math.ceil(width / CELL);
  const gridHeight = Math.ceil(height / CELL);
  const low = new Uint8Array(gridWidth * gridHeight).fill(255);
  const high = new Uint8Array(gridWidth * gridHeight);
  for (let y = 0, at = 0; y < height; y++) {
    const row = Math.floor(y / CELL) * gridWidth;
    for (let x = 0; x < width; x++, at++) {
      const cell = row + ((x / CELL) | 0);
      const value = data[at]!;
      if (value < low[cell]!) low[cell] = value;
      if (value > high[cell]!) high[cell] = value;
    }
  }
  return { minima: erode(low, gridWidth, gridHeight), maxima: dilate(high, gridWidth, gridHeight) };
};

/** Grey-scale dilation by a square of REACH cells to each side: rows first, then columns. */
const dilate = (cells: Uint8Array, width: number, height: number): Uint8Array => {
  const rows = new Uint8Array(cells.length);
  const square = new Uint8Array(cells.length);
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at++) {
      let most = 0;
      for (let i = Math.max(0, x - REACH); i <= Math.min(width - 1, x + REACH); i++)
        most = Math.max(most, cells[at - x + i]!);
      rows[at] = most;
    }
  }
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at++) {
      let most = 0;
      for (let i = Math.max(0, y - REACH); i <= Math.min(height - 1, y + REACH); i++)
        most = Math.max(most, rows[i * width + x]!);
      square[at] = most;
    }
  }
  return square;
};

/** Grey-scale erosion: the dilation of the negative, negated. */
const erode = (cells: Uint8Array, width: number, height: number): Uint8Array =>
  dilate(
    cells.map((value) => 255 - value),
    width,
    height,
  ).map((value) => 255 - value);
