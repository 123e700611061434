/** Whether an alpha channel is a cut-out somebody made, or trivial or junk. */
import type { Gray, Rgb } from './raster.ts';

/** What counts as transparent and as opaque. */
const CLEAR = 12;
const SOLID = 243;
/** A cut-out leaves at least this share of the frame clear; rounded corners and a thin frame do not. */
const CLEAR_SHARE_MIN = 0.05;
/** And holds a product of at least this share. */
const SOLID_SHARE_MIN = 0.001;
/** Of what is not clear, at least so much is solid: a veil over the whole picture is not a cut-out. */
const SOLID_OF_VISIBLE_MIN = 0.2;
/** A real product hangs together: neighbours differ in few places. Noise differs nearly everywhere. */
const CHANGES_SHARE_MAX = 0.25;

/** RGBA → its colours and its alpha where that is a cut-out, else undefined. `data`: four bytes a pixel. */
export const meaningfulAlpha = (rgba: {
  data: Uint8Array;
  width: number;
  height: number;
}): { rgb: Rgb; alpha: Gray } | undefined => {
  const { data, width, height } = rgba;
  const pixels = width * height;
  let clear = 0;
  let solid = 0;
  let changes = 0;
  let before = data[3]!;
  for (let i = 3; i < data.length; i += 4) {
    const value = data[i]!;
    if (value <= CLEAR) clear++;
    else if (value >= SOLID) solid++;
    if (value - before > 64 || before - value > 64) changes++;
    before = value;
  }
  const isCutout =
    clear >= CLEAR_SHARE_MIN * pixels &&
    solid >= SOLID_SHARE_MIN * pixels &&
    solid >= SOLID_OF_VISIBLE_MIN * (pixels - clear) &&
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
