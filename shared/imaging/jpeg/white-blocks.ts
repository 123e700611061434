/**
 * Blocks in which pure white meets the product. A quantised cosine block rings: its white comes back as 250 or 240.
 * Here the coefficients are chosen so that every white pixel decodes to exactly 255.
 *
 * Luma may exceed white, since decoders clamp: the white's target is raised until nothing falls below. Chroma must come
 * back as exactly neutral, so it is quantised by steps of 1, and single coefficients are moved until no white pixel is
 * off by half a level; what that costs lands on the product's pixels, less than a level or two each.
 */
import { forward, inverse } from './dct.ts';
import { integerInverse } from './integer-idct.ts';

/** Decoders round to whole levels; so much is kept clear of the limit, since not all compute alike. */
const LUMA_MIN = 254.75 - 128;
const CHROMA_MAX = 0.42;
/** With fewer product pixels than this there is hardly ever a solution. */
const SOLVABLE_PRODUCT_MIN = 8;
const LUMA_ROUNDS_MAX = 96;
const CHROMA_MOVES_MAX = 96;

const work = new Float64Array(64);
const target = new Float64Array(64);

/** `samples`: luma − 128. Writes quantised coefficients. False where it did not succeed. */
export const solveLuma = (samples: Float64Array, white: Uint8Array, steps: Uint8Array, out: Int32Array): boolean => {
  target.set(samples);
  for (let round = 0; round < LUMA_ROUNDS_MAX; round++) {
    work.set(target);
    forward(work);
    for (let i = 0; i < 64; i++) {
      const quantised = Math.round(work[i]! / steps[i]!);
      out[i] = quantised;
      work[i] = quantised * steps[i]!;
    }
    inverse(work);
    let short = false;
    for (let i = 0; i < 64; i++) {
      if (white[i] === 0) continue;
      const missing = LUMA_MIN - work[i]!;
      if (missing > 0) {
        short = true;
        target[i]! += missing + 0.5;
      }
    }
    if (!short) return true;
  }
  return false;
};

/** `samples`: chroma − 128, 0 where white. Steps are 1. Writes coefficients. False where it did not succeed. */
export const solveChroma = (samples: Float64Array, white: Uint8Array, out: Int32Array): boolean => {
  let product = 64;
  for (let i = 0; i < 64; i++) product -= white[i]!;
  if (product < SOLVABLE_PRODUCT_MIN) return false;
  target.set(samples);
  forward(target);
  for (let i = 0; i < 64; i++) out[i] = Math.round(target[i]!);
  for (let move = 0; move < CHROMA_MOVES_MAX; move++) {
    for (let i = 0; i < 64; i++) work[i] = out[i]!;
    inverse(work);
    let off = false;
    for (let i = 0; i < 64; i++) {
      const value = work[i]!;
      if (white[i] === 0) work[i] = 0.02 * (value - samples[i]!);
      else if (value > CHROMA_MAX || value < -CHROMA_MAX) off = true;
    }
    if (!off && neutralWhenDecoded(white, out)) return true;
    // Gradient of the squared error in the coefficients; one step of 1 on a steep one.
    forward(work);
    const steep = steepWithNoise(move);
    out[steep]! += work[steep]! > 0 ? -1 : 1;
  }
  return false;
};

/**
 * The steepest coefficient of `work`, each weakened by up to 60 % at random, since always taking the steepest one
 * cycles. Reproducible.
 */
const steepWithNoise = (move: number): number => {
  let random = move + 1;
  let steep = 0;
  let most = -1;
  for (let i = 0; i < 64; i++) {
    random = (Math.imul(random, 1664525) + 1013904223) >>> 0;
    const slope = Math.abs(work[i]!) * (1 - 0.6 * (random / 2 ** 32));
    if (slope > most) {
      most = slope;
      steep = i;
    }
  }
  return steep;
};

const decoded = new Int32Array(64);

/** Whether the common decoders' own arithmetic gives exactly neutral chroma on every white pixel. */
const neutralWhenDecoded = (white: Uint8Array, coefficients: Int32Array): boolean => {
  decoded.set(coefficients);
  integerInverse(decoded);
  for (let i = 0; i < 64; i++) if (white[i] === 1 && decoded[i] !== 0) return false;
  return true;
};
