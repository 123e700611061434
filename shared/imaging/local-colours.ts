/**
 * What product and background look like around every place: means of the sure pixels of each, on a coarse grid. Near an
 * edge these
 * are the two colours that the edge pixels mix.
 */
import { gaussianBlur } from './blur.ts';
import type { Gray, Rgb } from './raster.ts';

/** Longest side of the coarse grid, cells. Means over several pixels need no more. */
const GRID_SIDE_MAX = 448;
/** A pixel is surely product from 0.95 on, surely background up to 0.05. */
const SURE_PRODUCT = 242;
const SURE_BACKGROUND = 13;
/** Where no sure pixel is near, the mean of a neighbourhood this many times as wide steps in, with this weight. */
const WIDE_FACTOR = 6;
const WIDE_WEIGHT = 0.01;
/** Share of sure pixels that a neighbourhood must hold for its mean to count as known. */
export const SUPPORT_MIN = 0.02;

/** Per cell: the mean colour, 0..255, three planes; and the share of sure pixels around it, 0..1. */
export type Side = {
  readonly r: Float32Array;
  readonly g: Float32Array;
  readonly b: Float32Array;
  readonly support: Float32Array;
};
/** `cell` pixels a side make one cell. */
export type LocalColours = {
  readonly cell: number;
  readonly width: number;
  readonly height: number;
  readonly product: Side;
  readonly background: Side;
};

/** `sigma`: standard deviation of the neighbourhood, px of the picture. */
export const localColours = (rgb: Rgb, alpha: Gray, sigma: number): LocalColours => {
  const cell = Math.max(1, Math.ceil(Math.max(rgb.width, rgb.height) / GRID_SIDE_MAX));
  const width = Math.ceil(rgb.width / cell);
  const height = Math.ceil(rgb.height / cell);
  const emptySide = (): Side => ({ r: plane(), g: plane(), b: plane(), support: plane() });
  const plane = (): Float32Array => new Float32Array(width * height);
  const product = emptySide();
  const background = emptySide();
  gather(rgb, alpha, cell, width, product, background);
  for (const side of [product, background]) spread(side, width, height, Math.max(1, sigma / cell));
  return { cell, width, height, product, background };
};

/**
 * Sums the sure pixels of every cell, as means over the whole cell. A mean needs no more than every second pixel of a
 * large cell.
 */
const gather = (rgb: Rgb, alpha: Gray, cell: number, gridWidth: number, product: Side, background: Side): void => {
  const stride = cell >= 4 ? 2 : 1;
  const share = (stride * stride) / (cell * cell);
  for (let y = 0; y < rgb.height; y += stride) {
    const gridRow = Math.floor(y / cell) * gridWidth;
    for (let x = 0, at = y * rgb.width; x < rgb.width; x += stride, at += stride) {
      const a = alpha.data[at]!;
      const side = a >= SURE_PRODUCT ? product : a <= SURE_BACKGROUND ? background : undefined;
      if (!side) continue;
      const to = gridRow + ((x / cell) | 0);
      side.r[to]! += rgb.data[at * 3]! * share;
      side.g[to]! += rgb.data[at * 3 + 1]! * share;
      side.b[to]! += rgb.data[at * 3 + 2]! * share;
      side.support[to]! += share;
    }
  }
};

/** Blurs sums and weights near and wide, and divides: the mean, falling back smoothly to the wider one. */
const spread = (side: Side, width: number, height: number, sigma: number): void => {
  const near = [side.r, side.g, side.b, side.support];
  for (const plane of near) gaussianBlur(plane, width, height, sigma);
  const wide = near.map((plane) => plane.slice());
  for (const plane of wide) gaussianBlur(plane, width, height, sigma * WIDE_FACTOR, 2);
  const total = new Float32Array(width * height);
  for (let i = 0; i < total.length; i++) total[i] = 1 / Math.max(1e-6, side.support[i]! + WIDE_WEIGHT * wide[3]![i]!);
  for (const c of [0, 1, 2] as const) {
    const plane = near[c]!;
    const widePlane = wide[c]!;
    for (let i = 0; i < total.length; i++) plane[i] = (plane[i]! + WIDE_WEIGHT * widePlane[i]!) * total[i]!;
  }
};

/** Reads the grid between its cells' centres. One per loop: `at` overwrites `product` and `background`. */
export class ColourProbe {
  /** r, g, b, support. */
  readonly product = new Float32Array(4);
  readonly background = new Float32Array(4);
  readonly #grid: LocalColours;
  constructor(grid: LocalColours) {
    this.#grid = grid;
  }

  /** Bilinear at pixel (x, y) of the picture. */
  at(x: number, y: number): void {
    const { cell, width, height } = this.#grid;
    const gx = Math.min(Math.max((x + 0.5) / cell - 0.5, 0), width - 1);
    const gy = Math.min(Math.max((y + 0.5) / cell - 0.5, 0), height - 1);
    const x0 = gx | 0;
    const y0 = gy | 0;
    const right = x0 + 1 < width ? 1 : 0;
    const below = y0 + 1 < height ? width : 0;
    const fx = gx - x0;
    const fy = gy - y0;
    const i = y0 * width + x0;
    const w00 = (1 - fx) * (1 - fy);
    const w10 = fx * (1 - fy);
    const w01 = (1 - fx) * fy;
    const w11 = fx * fy;
    this.#read(this.#grid.product, this.product, i, right, below, w00, w10, w01, w11);
    this.#read(this.#grid.background, this.background, i, right, below, w00, w10, w01, w11);
  }

  #read(
    side: Side,
    into: Float32Array,
    i: number,
    right: number,
    below: number,
    w00: number,
    w10: number,
    w01: number,
    w11: number,
  ): void {
    const { r, g, b, support } = side;
    const j = i + right;
    const k = i + below;
    const l = k + right;
    into[0] = w00 * r[i]! + w10 * r[j]! + w01 * r[k]! + w11 * r[l]!;
    into[1] = w00 * g[i]! + w10 * g[j]! + w01 * g[k]! + w11 * g[l]!;
    into[2] = w00 * b[i]! + w10 * b[j]! + w01 * b[k]! + w11 * b[l]!;
    into[3] = w00 * support[i]! + w10 * support[j]! + w01 * support[k]! + w11 * support[l]!;
  }
}
