/** A soft contact shadow: dark where the product touches the ground, fading as its underside rises above it. */
import { gaussianBlur } from './blur.ts';
import type { Cutout } from './cutout.ts';
import { clamp, type Rgb } from './raster.ts';

/** Opacity of the shadow where it is darkest. */
const DENSITY = 0.38;
/** Height above the lowest point, share of the longer side, at which the shadow falls to 1/e. */
const FADE_SHARE = 0.035;
/** Blur radius and vertical thickness, share of the longer side. */
const BLUR_SHARE = 0.012;
const THICKNESS_SHARE = 0.008;
/** Towards the frame the shadow goes out over this share of the longer side, so that the frame never cuts it. */
const FRAME_FADE_SHARE = 0.015;
/** The shadow is soft, so it is drawn on a grid this many times coarser. */
const DOWNSAMPLING = 4;

/** Darkens the canvas, in place, before the product is composited over it. */
export const castShadow = (canvas: Rgb, cutout: Cutout): void => {
  const undersides = lowestPerColumn(cutout);
  const ground = undersides.reduce((most, y) => Math.max(most, y), -1);
  if (ground < 0) return;
  const side = Math.max(cutout.alpha.width, cutout.alpha.height);
  const width = Math.ceil(canvas.width / DOWNSAMPLING);
  const height = Math.ceil(canvas.height / DOWNSAMPLING);
  const plane = new Float32Array(width * height);
  const thickness = Math.max(1, Math.round((THICKNESS_SHARE * side) / DOWNSAMPLING));
  for (let x = 0; x < undersides.length; x++) {
    const y = undersides[x]!;
    const column = Math.floor((x + cutout.at.x) / DOWNSAMPLING);
    if (y < 0 || column < 0 || column >= width) continue;
    const strength = Math.exp(-(ground - y) / (FADE_SHARE * side)) / DOWNSAMPLING;
    const row = Math.floor((y + cutout.at.y) / DOWNSAMPLING);
    for (let at = Math.max(0, row - thickness); at <= Math.min(height - 1, row + thickness); at++)
      plane[at * width + column]! += strength;
  }
  gaussianBlur(plane, width, height, Math.max(1, (BLUR_SHARE * side) / DOWNSAMPLING));
  const peak = plane.reduce((most, value) => Math.max(most, value), 0);
  fadeToFrame(plane, width, height, Math.max(2, (FRAME_FADE_SHARE * side) / DOWNSAMPLING));
  darken(canvas, plane, width, height, peak);
};

/** Lowest pixel of each column that is more product than background; −1 where there is none. */
const lowestPerColumn = ({ alpha: { data, width, height } }: Cutout): Int32Array => {
  const lowest = new Int32Array(width).fill(-1);
  for (let y = height - 1; y >= 0; y--)
    for (let x = 0; x < width; x++) if (lowest[x]! < 0 && data[y * width + x]! >= 128) lowest[x] = y;
  return lowest;
};

/** Nothing in the two outermost cells, of which the last may be cut by the frame; everything `reach` cells further in. */
const fadeToFrame = (plane: Float32Array, width: number, height: number, reach: number): void => {
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const cells = Math.max(0, Math.min(x, y, width - 1 - x, height - 1 - y) - 1);
      if (cells < reach) plane[y * width + x]! *= cells / reach;
    }
};

/** `peak`: the value at which the shadow has its full density. */
const darken = (canvas: Rgb, plane: Float32Array, width: number, height: number, peak: number): void => {
  if (peak === 0) return;
  for (let y = 0, to = 0; y < canvas.height; y++) {
    const gy = clamp((y + 0.5) / DOWNSAMPLING - 0.5, 0, height - 1);
    const row = Math.min(height - 1, gy | 0);
    const fy = gy - row;
    const below = row + 1 < height ? width : 0;
    for (let x = 0; x < canvas.width; x++, to += 3) {
      const gx = clamp((x + 0.5) / DOWNSAMPLING - 0.5, 0, width - 1);
      const column = gx | 0;
      const i = row * width + column;
      const right = column + 1 < width ? 1 : 0;
      const fx = gx - column;
      const value =
        (1 - fy) * ((1 - fx) * plane[i]! + fx * plane[i + right]!) +
        fy * ((1 - fx) * plane[i + below]! + fx * plane[i + below + right]!);
      if (value < 0.004 * peak) continue;
      const light = 1 - (DENSITY * value) / peak;
      canvas.data[to] = Math.round(canvas.data[to]! * light);
      canvas.data[to + 1] = Math.round(canvas.data[to + 1]! * light);
      canvas.data[to + 2] = Math.round(canvas.data[to + 2]! * light);
    }
  }
};
