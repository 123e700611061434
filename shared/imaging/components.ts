/** Connected components of a matte: those apart from the product that are too small or too soft are cleared. */
import type { Gray } from './raster.ts';

/** Samples below this do not connect: 1/10, the soft fringe that levels remove anyway. */
const CONNECTED_MIN = 26;
/** A component with less mass than this share of the heaviest one is clutter, not a part of the product. */
const MASS_SHARE_MIN = 0.02;
/** A component that is nowhere more product than background is a soft region, not an object. */
const PEAK_MIN = 128;

/**
 * A stretch of connected samples in one row, `from` up to but not including `to` (indices into the matte). `parent`:
 * index of a run of the same component, its own at the root. `mass` (sum of alpha) and `peak` count for the whole
 * component at its root.
 */
export type Run = { readonly from: number; readonly to: number; parent: number; mass: number; peak: number };
export type Component = { readonly mass: number; readonly peak: number };

/** Runs of samples ≥ CONNECTED_MIN, united with those they touch in the row above, corners included. */
export const labelledRuns = ({ data, width, height }: Gray): Run[] => {
  const runs: Run[] = [];
  let above = 0;
  for (let y = 0; y < height; y++) {
    const start = runs.length;
    const end = (y + 1) * width;
    for (let at = y * width; at < end; at++) {
      if (data[at]! < CONNECTED_MIN) continue;
      const from = at;
      let mass = 0;
      let peak = 0;
      for (let value = data[at]!; at < end && value >= CONNECTED_MIN; value = data[++at]!) {
        mass += value;
        if (value > peak) peak = value;
      }
      const index = runs.push({ from, to: at, parent: runs.length, mass, peak }) - 1;
      while (above < start && runs[above]!.to < from - width) above++;
      for (let i = above; i < start && runs[i]!.from <= at - width; i++) unite(runs, i, index);
    }
    above = start;
  }
  return runs;
};

/** Root of a run's component: union-find with path halving. */
export const rootOf = (runs: Run[], index: number): number => {
  let at = index;
  while (runs[at]!.parent !== at) {
    const run = runs[at]!;
    run.parent = runs[run.parent]!.parent;
    at = run.parent;
  }
  return at;
};

/** The earlier root takes over the later one's mass and peak. */
const unite = (runs: Run[], a: number, b: number): void => {
  const [rootA, rootB] = [rootOf(runs, a), rootOf(runs, b)];
  if (rootA === rootB) return;
  const [kept, merged] = rootA < rootB ? [runs[rootA]!, runs[rootB]!] : [runs[rootB]!, runs[rootA]!];
  merged.parent = kept.parent;
  kept.mass += merged.mass;
  kept.peak = Math.max(kept.peak, merged.peak);
};

/** The 8-connected components, in order of their first sample. */
export const connectedComponents = (matte: Gray): Component[] => {
  const runs = labelledRuns(matte);
  return runs.filter((run, i) => run.parent === i).map(({ mass, peak }) => ({ mass, peak }));
};

/** Clears, in place, the small and the soft components. Returns the mass of what stays, in fully opaque samples. */
export const removeSpuriousComponents = (matte: Gray): number => {
  const runs = labelledRuns(matte);
  const roots = runs.filter((run, i) => run.parent === i && run.peak >= PEAK_MIN);
  const heaviest = roots.reduce<Run | undefined>(
    (most, run) => (most && most.mass >= run.mass ? most : run),
    undefined,
  );
  if (!heaviest) {
    matte.data.fill(0);
    return 0;
  }
  const kept = new Set(roots.filter(({ mass }) => mass >= MASS_SHARE_MIN * heaviest.mass));
  runs.forEach((run, i) => {
    if (!kept.has(runs[rootOf(runs, i)]!)) matte.data.fill(0, run.from, run.to);
  });
  let mass = 0;
  for (const component of kept) mass += component.mass / 255;
  return mass;
};
