/** Where a product meets the frame: along how much of each side, and whether it goes on beyond it. */
import { floodFill } from '../flood-fill.ts';
import type { Box, Gray, Rgb } from '../raster.ts';
import { type Edge, edgeOf, type FrameSide, lengthOf, longest, meanOver, type Run, runsOf } from './frame-edge.ts';
import { productColours } from './product-colours.ts';

/** Alpha from which a sample is product. */
export const PRODUCT_MIN = 128;
/** The model fades out at the very edge: this share of the picture's longer side counts as the frame. */
const FRAME_SHARE = 0.005;
/** A part that is cut has nearly the same width so far behind the frame, share of the longer side; a tip has not. */
const BEHIND_SHARE = 0.013;
const PARALLEL_MIN = 0.8;
/** A run more often as long as what is behind it is a sliver, a stripe of the background along the frame, ... */
const SLIVER_MIN = 2;
/** ... or one that hangs on little product, unless this share of its samples has the product's colours. docs/findings.md. */
const SLIVER_COLOUR_SHARE_MIN = 0.5;
/** Shortest contact of a thin part, px: less is a line of the background. */
const THIN_PX_MIN = 4;
/** Its mean alpha at the frame: what the model is not sure of is a thing beside the product. docs/findings.md. */
const THIN_ALPHA_MIN = 230;
/** Share of its samples at the frame that have a colour of the product's. docs/findings.md. */
const THIN_COLOUR_SHARE_MIN = 0.5;
/** Share of all product samples that hang together with a part: a stripe of the background hangs on less. */
const PIECE_SHARE_MIN = 0.15;
/** Where the matte ends before the frame: as far is looked for the rest of the product, share of the side across. */
const GAP_SHARE_MAX = 0.12;
const GAP_COLOUR_SHARE_MIN = 0.8;

/** Samples along one side of the frame. */
export type Contact = {
  /** The longest run of product, slivers left out. */
  readonly whole: number;
  /** The longest run of a part that leaves: as wide behind the frame, in the product's colours. */
  readonly thin: number;
  /** The longest run in which the matte ends before the frame and the product's colours do not. */
  readonly beyond: number;
};

/** One side of the frame with all that is measured along it. */
type Side = {
  readonly edge: Edge;
  readonly alpha: Gray;
  /** Samples that count as the frame, and where it is looked behind it. */
  readonly depth: number;
  readonly behind: number;
  isProductColour(sample: number): boolean;
};

/** `frame`: the part of the picture that counts; `alpha` on the picture's samples. */
export const frameContact = (picture: Rgb, alpha: Gray, frame: Box): Record<FrameSide, Contact> => {
  const isProductColour = productColours(picture, alpha, frame);
  const longerSide = Math.max(frame.width, frame.height);
  const depth = Math.max(1, Math.round(FRAME_SHARE * longerSide));
  const behind = Math.round(BEHIND_SHARE * longerSide);
  const contactAt = (side: FrameSide): Contact =>
    contactOf({ edge: edgeOf(side, frame, alpha.width), alpha, depth, behind, isProductColour });
  return { left: contactAt('left'), right: contactAt('right'), top: contactAt('top'), bottom: contactAt('bottom') };
};

const contactOf = (side: Side): Contact => {
  const { length } = side.edge;
  const runs = runsOf(0, length, (along) => peakAlpha(side, along, 0) >= PRODUCT_MIN);
  return {
    whole: longest(runs.filter((run) => !isSliver(side, run))),
    thin: longest(runs.filter((run) => isThinPart(side, run))),
    beyond: longest(runsOf(0, length, (along) => goesOnBeyond(side, along))),
  };
};

/** The highest alpha of the samples that count as the frame, `from` samples behind it. */
const peakAlpha = ({ edge, alpha, depth }: Side, along: number, from: number): number => {
  let level = 0;
  for (let d = from; d < Math.min(edge.across, from + depth); d++)
    level = Math.max(level, alpha.data[edge.at(along, d)]!);
  return level;
};

/** The longest run of product behind one at the frame. */
const behindOf = (side: Side, { from, to }: Run): number => {
  const { behind, edge } = side;
  const reach = 3 * (to - from) + behind;
  const inner = runsOf(
    Math.max(0, from - reach),
    Math.min(edge.length, to + reach),
    (along) => peakAlpha(side, along, behind) >= PRODUCT_MIN,
  );
  return longest(inner.filter((run) => run.to >= from - behind && run.from <= to + behind));
};

const colourShare = ({ edge, isProductColour }: Side, run: Run): number =>
  meanOver(run, (along) => (isProductColour(edge.at(along, Math.min(1, edge.across - 1))) ? 1 : 0));

const isSliver = (side: Side, run: Run): boolean =>
  colourShare(side, run) < SLIVER_COLOUR_SHARE_MIN &&
  (lengthOf(run) > SLIVER_MIN * behindOf(side, run) || !hangsOnProduct(side, run));

const isThinPart = (side: Side, run: Run): boolean => {
  const inner = behindOf(side, run);
  return (
    lengthOf(run) >= THIN_PX_MIN &&
    inner > 0 &&
    lengthOf(run) >= PARALLEL_MIN * inner &&
    meanOver(run, (along) => peakAlpha(side, along, 0)) >= THIN_ALPHA_MIN &&
    colourShare(side, run) >= THIN_COLOUR_SHARE_MIN &&
    hangsOnProduct(side, run)
  );
};

const hangsOnProduct = (side: Side, run: Run): boolean => pieceShare(side, (run.from + run.to) >> 1) >= PIECE_SHARE_MIN;

/** How much of the product hangs together with what is at the frame there. */
const pieceShare = ({ edge, alpha, depth }: Side, along: number): number => {
  const { data } = alpha;
  const starts = Array.from({ length: Math.min(depth, edge.across) }, (_, d) => edge.at(along, d));
  const start = starts.find((sample) => data[sample]! >= PRODUCT_MIN);
  if (start === undefined) return 0;
  const taken = new Uint8Array(data.length);
  const enter = (at: number): boolean => {
    if (taken[at] || data[at]! < PRODUCT_MIN) return false;
    taken[at] = 1;
    return true;
  };
  let product = 0;
  for (const level of data) if (level >= PRODUCT_MIN) product++;
  return floodFill(start, alpha, enter, new Int32Array(data.length)) / product;
};

/** Whether there is product behind a gap at the frame whose samples have the product's colours. */
const goesOnBeyond = ({ edge, alpha, isProductColour }: Side, along: number): boolean => {
  const far = Math.round(GAP_SHARE_MAX * edge.across);
  let coloured = 0;
  for (let gap = 0; gap < far; gap++) {
    const sample = edge.at(along, gap);
    if (alpha.data[sample]! >= PRODUCT_MIN) return gap > 0 && coloured >= GAP_COLOUR_SHARE_MIN * gap;
    if (isProductColour(sample)) coloured++;
  }
  return false;
};
