/** Haze: wide areas that the network leaves half decided. On white they would show as a veil, so they are decided. */
import { clamp, type Gray } from './raster.ts';

/** Size of a cell and reach of the search around it, in cells: an edge is narrower than both together. */
const CELL = 4;
const REACH = 4;
/** Where the matte goes through this much of its range within reach there is an edge, up to the first there is none. */
const RANGE_NONE = 0.45;
const RANGE_EDGE = 0.8;
/** What is half decided far from any edge becomes background below the middle of these, product above. */
const DECIDED_LOW = 0.4;
const DECIDED_HIGH = 0.6;

/** Decides haze, in place; edges and what is decided stay as they are. */
export const decideHaze = (matte: Gray): void => {
  const { data, width, height } = matte;
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
  const lowest = spread(low, gridWidth, gridHeight, 'low');
  const highest = spread(high, gridWidth, gridHeight, 'high');
  for (let y = 0, at = 0; y < height; y++) {
    const row = Math.floor(y / CELL) * gridWidth;
    for (let x = 0; x < width; x++, at++) {
      const value = data[at]!;
      if (value === 0 || value === 255) continue;
      const cell = row + ((x / CELL) | 0);
      const edge = clamp(((highest[cell]! - lowest[cell]!) / 255 - RANGE_NONE) / (RANGE_EDGE - RANGE_NONE), 0, 1);
      if (edge === 1) continue;
      const decided = 255 * clamp((value / 255 - DECIDED_LOW) / (DECIDED_HIGH - DECIDED_LOW), 0, 1);
      data[at] = Math.round(edge * value + (1 - edge) * decided);
    }
  }
};

/** Extreme of all cells within REACH, first along rows, then along columns. */
const spread = (cells: Uint8Array, width: number, height: number, extreme: 'low' | 'high'): Uint8Array => {
  const rows = new Uint8Array(cells.length);
  const columns = new Uint8Array(cells.length);
  const flip = extreme === 'low' ? 255 : 0;
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at++) {
      let found = 0;
      for (let i = Math.max(0, x - REACH); i <= Math.min(width - 1, x + REACH); i++)
        found = Math.max(found, cells[at - x + i]! ^ flip);
      rows[at] = found;
    }
  }
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at++) {
      let found = 0;
      for (let i = Math.max(0, y - REACH); i <= Math.min(height - 1, y + REACH); i++)
        found = Math.max(found, rows[i * width + x]!);
      columns[at] = found ^ flip;
    }
  }
  return columns;
};
