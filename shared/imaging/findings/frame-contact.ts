/** Where a product meets the frame: along how much of each side, and whether it goes on beyond it. */
import type { Box, Gray, Rgb } from '../raster.ts';
import { productColours } from './product-colours.ts';

export const frameSides = ['left', 'right', 'top', 'bottom'] as const;
export type FrameSide = (typeof frameSides)[number];

/** Alpha from which a sample is product. */
const PRODUCT_MIN = 128;
/** The model fades out at the very edge: this share of the picture's longer side counts as the frame. */
const FRAME_SHARE = 0.005;
/** A part that is cut has nearly the same width so far behind the frame, share of the longer side; a tip has not. */
const BEHIND_SHARE = 0.013;
const PARALLEL_MIN = 0.8;
/** Shortest contact of a thin part, px: less is a line of the background. */
const THIN_PX_MIN = 4;
/** Its mean alpha at the frame: what the model is not sure of is a thing beside the product. docs/findings.md. */
const THIN_ALPHA_MIN = 230;
/** Share of its samples at the frame that have a colour of the product's. */
const THIN_COLOUR_SHARE_MIN = 0.7;
/** Where the matte ends before the frame: as far is looked for the rest of the product, share of the side across. */
const GAP_SHARE_MAX = 0.12;
const GAP_COLOUR_SHARE_MIN = 0.8;

/** One side of the frame: `length` samples along it, `across` samples to the other side; `at` gives their index. */
type Edge = {
  readonly length: number;
  readonly across: number;
  at(along: number, depth: number): number;
};

const edgeOf = (side: FrameSide, { x, y, width, height }: Box, stride: number): Edge => {
  const [right, bottom] = [x + width - 1, y + height - 1];
  switch (side) {
    case 'left':
      return { length: height, across: width, at: (along, depth) => (y + along) * stride + x + depth };
    case 'right':
      return { length: height, across: width, at: (along, depth) => (y + along) * stride + right - depth };
    case 'top':
      return { length: width, across: height, at: (along, depth) => (y + depth) * stride + x + along };
    case 'bottom':
      return { length: width, across: height, at: (along, depth) => (bottom - depth) * stride + x + along };
  }
};

type Run = { readonly from: number; readonly to: number };

const runsOf = (from: number, to: number, isIn: (along: number) => boolean): Run[] => {
  const runs: Run[] = [];
  for (let i = from; i < to; i++) {
    if (!isIn(i)) continue;
    const start = i;
    while (i < to && isIn(i)) i++;
    runs.push({ from: start, to: i });
  }
  return runs;
};
const lengthOf = ({ from, to }: Run): number => to - from;
const longest = (runs: readonly Run[]): number => Math.max(0, ...runs.map(lengthOf));

/** Samples along one side of the frame. */
export type Contact = {
  /** The longest run of product. */
  readonly whole: number;
  /** The longest run of a part that leaves: as wide behind the frame, in the product's colours. */
  readonly thin: number;
  /** The longest run in which the matte ends before the frame and the product's colours do not. */
  readonly beyond: number;
};

/** `frame`: the part of the picture that counts; `alpha` on the picture's samples. */
export const frameContact = (picture: Rgb, alpha: Gray, frame: Box): Record<FrameSide, Contact> => {
  const isProductColour = productColours(picture, alpha, frame);
  const longerSide = Math.max(frame.width, frame.height);
  const depth = Math.max(1, Math.round(FRAME_SHARE * longerSide));
  const behind = Math.round(BEHIND_SHARE * longerSide);

  const contactOf = (side: FrameSide): Contact => {
    const edge = edgeOf(side, frame, alpha.width);
    const peak = (along: number, from: number): number => {
      let level = 0;
      for (let d = from; d < Math.min(edge.across, from + depth); d++)
        level = Math.max(level, alpha.data[edge.at(along, d)]!);
      return level;
    };
    const isProduct = (along: number, from: number): boolean => peak(along, from) >= PRODUCT_MIN;
    const runs = runsOf(0, edge.length, (along) => isProduct(along, 0));
    const leaves = (run: Run): boolean => {
      const reach = 3 * lengthOf(run) + behind;
      const inner = runsOf(Math.max(0, run.from - reach), Math.min(edge.length, run.to + reach), (along) =>
        isProduct(along, behind),
      ).filter(({ from, to }) => to >= run.from - behind && from <= run.to + behind);
      return inner.length > 0 && lengthOf(run) >= PARALLEL_MIN * longest(inner);
    };
    const isSure = (run: Run): boolean => {
      let coloured = 0;
      let levels = 0;
      for (let along = run.from; along < run.to; along++) {
        if (isProductColour(edge.at(along, Math.min(1, edge.across - 1)))) coloured++;
        levels += peak(along, 0);
      }
      return coloured >= THIN_COLOUR_SHARE_MIN * lengthOf(run) && levels >= THIN_ALPHA_MIN * lengthOf(run);
    };
    const goesOn = (along: number): boolean => goesOnBeyond(edge, along, alpha.data, isProductColour);
    return {
      whole: longest(runs),
      thin: longest(runs.filter((run) => lengthOf(run) >= THIN_PX_MIN && leaves(run) && isSure(run))),
      beyond: longest(runsOf(0, edge.length, goesOn)),
    };
  };
  return { left: contactOf('left'), right: contactOf('right'), top: contactOf('top'), bottom: contactOf('bottom') };
};

/** Whether there is product behind a gap at the frame whose samples have the product's colours. */
const goesOnBeyond = (
  { across, at }: Edge,
  along: number,
  alpha: Uint8Array,
  isProductColour: (sample: number) => boolean,
): boolean => {
  const far = Math.round(GAP_SHARE_MAX * across);
  let coloured = 0;
  for (let gap = 0; gap < far; gap++) {
    const sample = at(along, gap);
    if (alpha[sample]! >= PRODUCT_MIN) return gap > 0 && coloured >= GAP_COLOUR_SHARE_MIN * gap;
    if (isProductColour(sample)) coloured++;
  }
  return false;
};
