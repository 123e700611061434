/**
 * The picture types of the imaging code. Pure: no I/O, no clock, only typed arrays, so the browser runs the same code.
 */

/** 8-bit samples, row-major. A matte, 0 = background, 255 = product. */
export type Gray = { readonly data: Uint8Array; readonly width: number; readonly height: number };
/** 8-bit sRGB, interleaved, three bytes a pixel, row-major. */
export type Rgb = { readonly data: Uint8Array; readonly width: number; readonly height: number };
/** A rectangle; `x`, `y` is its upper left corner. Whole pixels unless said otherwise. */
export type Box = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
export type Size = { readonly width: number; readonly height: number };

/** The whole of a picture as a box. */
export const frameOf = (picture: Size): Box => ({ x: 0, y: 0, width: picture.width, height: picture.height });

export const clamp = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), high);

/** Applies a table of 256 bytes to every sample, in place. */
export const applyTable = (data: Uint8Array, table: Uint8Array): void => {
  for (let i = 0; i < data.length; i++) data[i] = table[data[i]!]!;
};

/** Levels table: maps `low` and below to 0, `high` and above to 255, linear between. */
export const levelsTable = (low: number, high: number): Uint8Array =>
  Uint8Array.from({ length: 256 }, (_, value) => Math.round(clamp((value - low) / (high - low), 0, 1) * 255));

/** The samples of a box. */
export const cropGray = ({ data, width }: Gray, region: Box): Gray => {
  const part = new Uint8Array(region.width * region.height);
  for (let y = 0; y < region.height; y++) {
    const from = (y + region.y) * width + region.x;
    part.set(data.subarray(from, from + region.width), y * region.width);
  }
  return { data: part, width: region.width, height: region.height };
};
