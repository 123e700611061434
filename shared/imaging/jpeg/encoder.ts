/**
 * A baseline JPEG encoder (ITU-T T.81, JFIF, 4:4:4) whose pure white stays pure white: every (255, 255, 255) pixel
 * decodes to exactly that, in blocks that the product touches too. A common encoder rings there by up to 25 levels.
 */
import type { Rgb } from '../raster.ts';
import { forward } from './dct.ts';
import { huffmanTable } from './huffman.ts';
import { chromaSteps, lumaSteps } from './tables.ts';
import { Tokens } from './tokens.ts';
import { solveChroma, solveLuma } from './white-blocks.ts';
import { writeFile } from './write.ts';

type Planes = readonly [y: Float64Array, cb: Float64Array, cr: Float64Array];

/** `quality` 1..100 in libjpeg's scale. */
export const encodeWhiteExact = (picture: Rgb, quality: number): Uint8Array => {
  const steps = lumaSteps(quality);
  const tokens = new Tokens();
  const encoder = blockEncoder(tokens, steps, chromaSteps(quality));
  const planes: Planes = [new Float64Array(64), new Float64Array(64), new Float64Array(64)];
  const white = new Uint8Array(64);
  for (let y = 0; y < picture.height; y += 8) {
    for (let x = 0; x < picture.width; x += 8) {
      const whites = gather(picture, x, y, planes, white);
      if (whites === 64) encoder.white();
      else if (whites === 0) encoder.plain(planes);
      else encoder.mixed(planes, white);
    }
  }
  return writeFile(picture, steps, tokens, tokens.frequencies.map(huffmanTable));
};

/** Reads a block, less 128; the picture's edge repeats. Marks its white pixels and counts them. */
const gather = (
  { data, width, height }: Rgb,
  left: number,
  top: number,
  [luma, blue, red]: Planes,
  white: Uint8Array,
): number => {
  let whites = 0;
  for (let y = 0, i = 0; y < 8; y++) {
    const row = Math.min(top + y, height - 1) * width;
    for (let x = 0; x < 8; x++, i++) {
      const at = (row + Math.min(left + x, width - 1)) * 3;
      const r = data[at]!;
      const g = data[at + 1]!;
      const b = data[at + 2]!;
      const isWhite = r + g + b === 765 ? 1 : 0;
      white[i] = isWhite;
      whites += isWhite;
      luma[i] = 0.299 * r + 0.587 * g + 0.114 * b - 128;
      blue[i] = -0.168735892 * r - 0.331264108 * g + 0.5 * b;
      red[i] = 0.5 * r - 0.418687589 * g - 0.081312411 * b;
    }
  }
  return whites;
};

const blockEncoder = (tokens: Tokens, lumaStep: Uint8Array, chromaStep: Uint8Array) => {
  const out = new Int32Array(64);
  const before = [0, 0, 0];
  // The mean of a white block is 127 above the middle; rounding up never falls short of it.
  const whiteDc = Math.ceil((127 * 8) / lumaStep[0]!);
  const put = (component: number): void => {
    tokens.block(out, before[component]!, component > 0);
    before[component] = out[0]!;
  };
  return {
    white(): void {
      tokens.flat(whiteDc - before[0]!, false);
      before[0] = whiteDc;
      for (const component of [1, 2]) {
        tokens.flat(-before[component]!, true);
        before[component] = 0;
      }
    },
    plain(planes: Planes): void {
      for (let component = 0; component < 3; component++) {
        const block = planes[component]!;
        forward(block);
        if (component === 0) for (let i = 0; i < 64; i++) out[i] = Math.round(block[i]! / lumaStep[i]!);
        // The file's chroma steps are 1 for the blocks at the white; elsewhere the quality's own, wider steps are kept.
        else for (let i = 0; i < 64; i++) out[i] = Math.round(block[i]! / chromaStep[i]!) * chromaStep[i]!;
        put(component);
      }
    },
    mixed(planes: Planes, white: Uint8Array): void {
      if (!solveLuma(planes[0], white, lumaStep, out)) flatWhite(out, whiteDc);
      put(0);
      for (const component of [1, 2]) {
        // A few product pixels without their hue are not seen; a tinted white would be measured.
        if (!solveChroma(planes[component]!, white, out)) out.fill(0);
        put(component);
      }
    },
  };
};

const flatWhite = (out: Int32Array, dc: number): void => {
  out.fill(0);
  out[0] = dc;
};
