/**
 * Local mean colours of product and background, from the certain pixels of each, on a coarse grid. Near an edge these
 * are the two colours that the edge pixels mix.
 */
import { gaussianBlur } from './blur.ts';
import type { Gray, Rgb } from './raster.ts';

/** Longest side of the coarse grid, cells. Means over several pixels need no more. */
const GRID_SIDE_MAX = 448;
/** A pixel is certainly product from 0.95 on, certainly background up to 0.05. */
const CERTAIN_PRODUCT_MIN = 242;
const CERTAIN_BACKGROUND_MAX = 13;
/** Where no certain pixel is near, the mean of a neighbourhood this many times as wide takes over, with this weight. */
const WIDE_FACTOR = 6;
const WIDE_WEIGHT = 0.01;
/** Share of certain pixels that a neighbourhood must hold for its mean to count as known. */
export const SUPPORT_MIN = 0.02;

/** For each cell: the mean colour, 0..255, in three planes; and the share of certain pixels around it, 0..1. */
export type ColourMap = {
  readonly r: Float32Array;
  readonly g: Float32Array;
  readonly b: Float32Array;
  readonly support: Float32Array;
};
/** A cell is `cell` × `cell` pixels. */
export type LocalColours = {
  readonly cell: number;
  readonly width: number;
  readonly height: number;
  readonly product: ColourMap;
  readonly background: ColourMap;
};

/** `sigma`: standard deviation of the neighbourhood, px of the picture. */
export const localColours = (rgb: Rgb, alpha: Gray, sigma: number): LocalColours => {
  const cell = Math.max(1, Math.ceil(Math.max(rgb.width, rgb.height) / GRID_SIDE_MAX));
  const width = Math.ceil(rgb.width / cell);
  const height = Math.ceil(rgb.height / cell);
  const emptyMap = (): ColourMap => ({ r: plane(), g: plane(), b: plane(), support: plane() });
  const plane = (): Float32Array => new Float32Array(width * height);
  const product = emptyMap();
  const background = emptyMap();
  accumulate(rgb, alpha, cell, width, product, background);
  for (const map of [product, background]) normalisedBlur(map, width, height, Math.max(1, sigma / cell));
  return { cell, width, height, product, background };
};

/** Sums the certain pixels of every cell, scaled to means over the cell. Large cells use every second pixel only. */
const accumulate = (
  rgb: Rgb,
  alpha: Gray,
  cell: number,
  gridWidth: number,
  product: ColourMap,
  background: ColourMap,
): void => {
  const stride = cell >= 4 ? 2 : 1;
  const share = (stride * stride) / (cell * cell);
  for (let y = 0; y < rgb.height; y += stride) {
    const gridRow = Math.floor(y / cell) * gridWidth;
    for (let x = 0, at = y * rgb.width; x < rgb.width; x += stride, at += stride) {
      const a = alpha.data[at]!;
      const map = a >= CERTAIN_PRODUCT_MIN ? product : a <= CERTAIN_BACKGROUND_MAX ? background : undefined;
      if (!map) continue;
      const to = gridRow + ((x / cell) | 0);
      map.r[to]! += rgb.data[at * 3]! * share;
      map.g[to]! += rgb.data[at * 3 + 1]! * share;
      map.b[to]! += rgb.data[at * 3 + 2]! * share;
      map.support[to]! += share;
    }
  }
};

/**
 * Normalised convolution (Knutsson & Westin 1993) at two widths: blurs sums and weights, then divides. The wider mean
 * fades in where the narrow one has no support.
 */
const normalisedBlur = (map: ColourMap, width: number, height: number, sigma: number): void => {
  const near = [map.r, map.g, map.b, map.support];
  for (const plane of near) gaussianBlur(plane, width, height, sigma);
  const wide = near.map((plane) => plane.slice());
  for (const plane of wide) gaussianBlur(plane, width, height, sigma * WIDE_FACTOR, 2);
  const total = new Float32Array(width * height);
  for (let i = 0; i < total.length; i++) total[i] = 1 / Math.max(1e-6, map.support[i]! + WIDE_WEIGHT * wide[3]![i]!);
  for (const c of [0, 1, 2] as const) {
    const plane = near[c]!;
    const widePlane = wide[c]!;
    for (let i = 0; i < total.length; i++) plane[i] = (plane[i]! + WIDE_WEIGHT * widePlane[i]!) * total[i]!;
  }
};

/** Interpolates the grid. `at` writes to `product` and `background`, so that a loop allocates nothing. */
export class ColourSampler {
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
    map: ColourMap,
    into: Float32Array,
    i: number,
    right: number,
    below: number,
    w00: number,
    w10: number,
    w01: number,
    w11: number,
  ): void {
    const { r, g, b, support } = map;
    const j = i + right;
    const k = i + below;
    const l = k + right;
    into[0] = w00 * r[i]! + w10 * r[j]! + w01 * r[k]! + w11 * r[l]!;
    into[1] = w00 * g[i]! + w10 * g[j]! + w01 * g[k]! + w11 * g[l]!;
    into[2] = w00 * b[i]! + w10 * b[j]! + w01 * b[k]! + w11 * b[l]!;
    into[3] = w00 * support[i]! + w10 * support[j]! + w01 * support[k]! + w11 * support[l]!;
  }
}
