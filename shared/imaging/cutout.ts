/** A product cut out of its photo, with its position on the canvas, and compositing it over a background. */
import type { Box, Gray, Rgb, Size } from './raster.ts';

export type Cutout = {
  /** Colours of the product; anything where alpha is 0. */
  readonly rgb: Rgb;
  /** Same size as `rgb`. */
  readonly alpha: Gray;
  /** Upper left corner of both on the canvas; may lie outside. */
  readonly at: { readonly x: number; readonly y: number };
  readonly canvas: Size;
};

export type Colour = readonly [number, number, number];

/** "#rrggbb" → three bytes. */
export const parseHex = (hex: string): Colour => {
  const value = Number.parseInt(hex.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
};

/** The part of the cut-out that lies on the canvas, in the cut-out's pixels. */
const visibleBox = ({ alpha, at, canvas }: Cutout): Box => {
  const x = Math.max(0, -at.x);
  const y = Math.max(0, -at.y);
  return {
    x,
    y,
    width: Math.max(0, Math.min(alpha.width, canvas.width - at.x) - x),
    height: Math.max(0, Math.min(alpha.height, canvas.height - at.y) - y),
  };
};

/** An empty canvas of one colour. */
export const solidCanvas = (size: Size, [r, g, b]: Colour): Rgb => {
  const data = new Uint8Array(size.width * size.height * 3);
  if (r === g && g === b) data.fill(r);
  else
    for (let i = 0; i < data.length; i += 3) {
      data[i] = r;
      data[i + 1] = g;
      data[i + 2] = b;
    }
  return { data, width: size.width, height: size.height };
};

/**
 * Composites the cut-out over a canvas (Porter & Duff's "over"), in place. A product pixel that would come out pure
 * white is written as (254, 254, 254): nobody sees the difference, and "not exactly white" then means product and
 * nothing else, for a white product on white too.
 */
export const compositeOver = (canvas: Rgb, cutout: Cutout): void => {
  const { rgb, alpha, at } = cutout;
  const part = visibleBox(cutout);
  for (let y = part.y; y < part.y + part.height; y++) {
    let from = y * alpha.width + part.x;
    let to = ((y + at.y) * canvas.width + part.x + at.x) * 3;
    for (let x = 0; x < part.width; x++, from++, to += 3) {
      const a = alpha.data[from]!;
      if (a === 0) continue;
      let r = rgb.data[from * 3]!;
      let g = rgb.data[from * 3 + 1]!;
      let b = rgb.data[from * 3 + 2]!;
      if (a !== 255) {
        r = mix(r, canvas.data[to]!, a);
        g = mix(g, canvas.data[to + 1]!, a);
        b = mix(b, canvas.data[to + 2]!, a);
      }
      if (r + g + b === 765) r = g = b = 254;
      canvas.data[to] = r;
      canvas.data[to + 1] = g;
      canvas.data[to + 2] = b;
    }
  }
};

/** Weighted mean, `a` of 255 parts `above`, rounded. */
const mix = (above: number, below: number, a: number): number => ((above * a + below * (255 - a) + 127) / 255) | 0;

/** The cut-out on a transparent canvas, as RGBA. Transparent pixels are white. */
export const compositeOnTransparent = (cutout: Cutout): Uint8Array => {
  const { rgb, alpha, at, canvas } = cutout;
  const rgba = new Uint8Array(canvas.width * canvas.height * 4);
  new Uint32Array(rgba.buffer).fill(TRANSPARENT_WHITE);
  const part = visibleBox(cutout);
  for (let y = part.y; y < part.y + part.height; y++) {
    let from = y * alpha.width + part.x;
    let to = ((y + at.y) * canvas.width + part.x + at.x) * 4;
    for (let x = 0; x < part.width; x++, from++, to += 4) {
      const a = alpha.data[from]!;
      if (a === 0) continue;
      rgba[to] = rgb.data[from * 3]!;
      rgba[to + 1] = rgb.data[from * 3 + 1]!;
      rgba[to + 2] = rgb.data[from * 3 + 2]!;
      rgba[to + 3] = a;
    }
  }
  return rgba;
};
/** (255, 255, 255, 0) as a little-endian word. */
const TRANSPARENT_WHITE = 0x00ffffff;
