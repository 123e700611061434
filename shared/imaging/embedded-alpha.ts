/** Tells an alpha channel that is a real cut-out from one that is trivial or broken. */
import type { Gray, Rgb } from './raster.ts';

/** What counts as transparent and as opaque. */
const TRANSPARENT_MAX = 12;
const OPAQUE_MIN = 243;
/** A cut-out leaves at least this share of the frame transparent; rounded corners and a thin border do not. */
const TRANSPARENT_SHARE_MIN = 0.05;
/** And at least this share of it is opaque. */
const OPAQUE_SHARE_MIN = 0.001;
/** Share of the visible pixels that is opaque: a picture that is translucent all over is not a cut-out. */
const OPAQUE_OF_VISIBLE_MIN = 0.2;
/** Share of neighbouring pixels that differ strongly: few along a product's outline, most in noise. */
const CHANGES_SHARE_MAX = 0.25;

/** The colours and the alpha of an RGBA picture (four bytes a pixel) where the alpha is a cut-out, else undefined. */
export const embeddedCutout = (rgba: {
  data: Uint8Array;
  width: number;
  height: number;
}): { rgb: Rgb; alpha: Gray } | undefined => {
  const { data, width, height } = rgba;
  const pixels = width * height;
  let transparent = 0;
  let opaque = 0;
  let changes = 0;
  let before = data[3]!;
  for (let i = 3; i < data.length; i += 4) {
    const value = data[i]!;
    if (value <= TRANSPARENT_MAX) transparent++;
    else if (value >= OPAQUE_MIN) opaque++;
    if (value - before > 64 || before - value > 64) changes++;
    before = value;
  }
  const isCutout =
    transparent >= TRANSPARENT_SHARE_MIN * pixels &&
    opaque >= OPAQUE_SHARE_MIN * pixels &&
    opaque >= OPAQUE_OF_VISIBLE_MIN * (pixels - transparent) &&
    changes <= CHANGES_SHARE_MAX * pixels;
  if (!isCutout) return undefined;
  const rgb = new Uint8Array(pixels * 3);
  const alpha = new Uint8Array(pixels);
  for (let i = 0; i < pixels; i++) {
    rgb[i * 3] = data[i * 4]!;
    rgb[i * 3 + 1] = data[i * 4 + 1]!;
    rgb[i * 3 + 2] = data[i * 4 + 2]!;
    alpha[i] = data[i * 4 + 3]!;
  }
  return { rgb: { data: rgb, width, height }, alpha: { data: alpha, width, height } };
};
