/**
 * Connected pieces of a matte: what stands apart from the product and is too small, or seen too little, to be a piece
 * of it goes.
 */
import type { Gray } from './raster.ts';

/** Samples below this do not connect: 1/10, the haze that levels remove anyway. */
const CONNECTS = 26;
/** A piece lighter than this share of the heaviest one is a stray island, not a part of the product. */
const PIECE_SHARE_MIN = 0.02;
/**
 * What stands apart from the heaviest piece must be seen by two looks, each seeing this share of what the matte shows.
 * Of 139 photos, 91 with ground truth:
 * the second look saw 0.77 and more of what belongs to a product, and 0.10 and less of a seam in the floor, the gaps of
 * a bench, scraps of a scene.
 */
const SEEN_SHARE_MIN = 0.35;
const SEEN_BY_MIN = 2;
/** A piece that nowhere is more product than background is haze. */
const PEAK_MIN = 128;

/**
 * A stretch of connecting samples in one row, `from` up to but not including `to` (indices into the matte), and the run
 * it was joined to.
 */
type Run = { readonly from: number; readonly to: number; joined: number; mass: number; peak: number };
export type Piece = { readonly mass: number; readonly peak: number };

/**
 * Runs of samples ≥ CONNECTS, joined with those they touch in the row above, corners included (union-find by path
 * halving).
 */
const joinedRuns = ({ data, width, height }: Gray): Run[] => {
  const runs: Run[] = [];
  let above = 0;
  for (let y = 0; y < height; y++) {
    const start = runs.length;
    const end = (y + 1) * width;
    for (let at = y * width; at < end; at++) {
      if (data[at]! < CONNECTS) continue;
      const from = at;
      let mass = 0;
      let peak = 0;
      for (let value = data[at]!; at < end && value >= CONNECTS; value = data[++at]!) {
        mass += value;
        if (value > peak) peak = value;
      }
      const index = runs.push({ from, to: at, joined: runs.length, mass, peak }) - 1;
      while (above < start && runs[above]!.to < from - width) above++;
      for (let i = above; i < start && runs[i]!.from <= at - width; i++) join(runs, i, index);
    }
    above = start;
  }
  return runs;
};

const rootOf = (runs: Run[], index: number): number => {
  let at = index;
  while (runs[at]!.joined !== at) at = runs[at]!.joined = runs[runs[at]!.joined]!.joined;
  return at;
};

/** The earlier root takes the later one's mass and peak. */
const join = (runs: Run[], a: number, b: number): void => {
  const [rootA, rootB] = [rootOf(runs, a), rootOf(runs, b)];
  if (rootA === rootB) return;
  const [kept, merged] = rootA < rootB ? [runs[rootA]!, runs[rootB]!] : [runs[rootB]!, runs[rootA]!];
  merged.joined = kept.joined;
  kept.mass += merged.mass;
  kept.peak = Math.max(kept.peak, merged.peak);
};

/** The 8-connected pieces, in order of their first sample. */
export const piecesOf = (matte: Gray): Piece[] => {
  const runs = joinedRuns(matte);
  return runs.filter((run, i) => run.joined === i).map(({ mass, peak }) => ({ mass, peak }));
};

/**
 * Clears stray islands, haze that stands alone, and lighter pieces that only one of `looks` sees, in place. `looks`:
 * the mattes that `matte` was fused
 * from, of its size. Mass of the pieces that stay, in fully opaque samples.
 */
export const dropIslands = (matte: Gray, looks: readonly Gray[]): number => {
  const runs = joinedRuns(matte);
  const roots = runs.filter((run, i) => run.joined === i && run.peak >= PEAK_MIN);
  const heaviest = roots.reduce<Run | undefined>(
    (most, run) => (most && most.mass >= run.mass ? most : run),
    undefined,
  );
  if (!heaviest) {
    matte.data.fill(0);
    return 0;
  }
  const heavy = new Set(roots.filter(({ mass }) => mass >= PIECE_SHARE_MIN * heaviest.mass));
  const staying = heavy.size === 1 ? heavy : seenTwice(matte, looks, runs, heavy).add(heaviest);
  runs.forEach((run, i) => {
    if (!staying.has(runs[rootOf(runs, i)]!)) matte.data.fill(0, run.from, run.to);
  });
  let mass = 0;
  for (const piece of staying) mass += piece.mass / 255;
  return mass;
};

/** Those of `pieces` that at least two looks see. */
const seenTwice = (matte: Gray, looks: readonly Gray[], runs: Run[], pieces: ReadonlySet<Run>): Set<Run> => {
  const seen = new Map(Array.from(pieces, (piece) => [piece, looks.map(() => 0)]));
  runs.forEach(({ from, to }, i) => {
    const sums = seen.get(runs[rootOf(runs, i)]!);
    if (!sums) return;
    for (let k = 0; k < looks.length; k++) {
      const { data } = looks[k]!;
      for (let at = from; at < to; at++) sums[k]! += (data[at]! / 255) * matte.data[at]!;
    }
  });
  const isSeen = (piece: Run): boolean =>
    seen.get(piece)!.filter((sum) => sum >= SEEN_SHARE_MIN * piece.mass).length >= SEEN_BY_MIN;
  return new Set(Array.from(pieces).filter(isSeen));
};
