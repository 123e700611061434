/** What of a matte belongs to a box that somebody drew around one product. */
import { labelledRuns, rootOf } from './components.ts';
import { type Box, clamp, type Gray } from './raster.ts';

/**
 * A box drawn a little too tight (3 % on every side) cuts nothing: so much of what it holds may lie outside of it, as
 * share of what is
 * inside. More than that is another product that touches this one, or a box drawn across the product.
 */
const OUTSIDE_MAX = 0.12;

/**
 * Clears, in place, what lies for the larger part outside of `box` (samples of the matte; may be fractional): another
 * product. Where much of the rest lies outside too, that is cut off, and the answer is true.
 */
export const keepWithin = (matte: Gray, box: Box): boolean => {
  const { data, width } = matte;
  const { left, right, top, bottom } = edgesOf(box, matte);
  const runs = labelledRuns(matte);
  const inside = new Float64Array(runs.length);
  runs.forEach(({ from, to }, i) => {
    const y = Math.floor(from / width);
    if (y < top || y >= bottom) return;
    const root = rootOf(runs, i);
    const end = Math.min(to, y * width + right);
    for (let at = Math.max(from, y * width + left); at < end; at++) inside[root]! += data[at]!;
  });
  let [kept, outside] = [0, 0];
  runs.forEach((run, i) => {
    const root = rootOf(runs, i);
    if (inside[root]! * 2 < runs[root]!.mass) data.fill(0, run.from, run.to);
    else if (root === i) {
      kept += inside[root]!;
      outside += run.mass - inside[root]!;
    }
  });
  const isCut = outside > OUTSIDE_MAX * kept;
  if (isCut) clearOutside(matte, { left, right, top, bottom });
  return isCut;
};

type Edges = { readonly left: number; readonly right: number; readonly top: number; readonly bottom: number };

const edgesOf = (box: Box, { width, height }: Gray): Edges => ({
  left: clamp(Math.round(box.x), 0, width),
  right: clamp(Math.round(box.x + box.width), 0, width),
  top: clamp(Math.round(box.y), 0, height),
  bottom: clamp(Math.round(box.y + box.height), 0, height),
});

const clearOutside = ({ data, width, height }: Gray, { left, right, top, bottom }: Edges): void => {
  data.fill(0, 0, top * width);
  data.fill(0, bottom * width);
  for (let y = top; y < Math.min(bottom, height); y++) {
    data.fill(0, y * width, y * width + left);
    data.fill(0, y * width + right, (y + 1) * width);
  }
};
