/** Indexes of images of one batch as a short text: `0-5,7`. Pure. */

/** Longest for 1,000 images of which every second is listed. */
export const IMAGE_LIST_CHARS_MAX = 2_000;
export const IMAGE_LIST = /^\d{1,3}(-\d{1,3})?(,\d{1,3}(-\d{1,3})?)*$/;

/** In ascending order; a run of neighbours is its first and its last. */
export const imageList = (indexes: readonly number[]): string => {
  const runs: [number, number][] = [];
  for (const index of [...indexes].sort((a, b) => a - b)) {
    const run = runs.at(-1);
    if (run && run[1] === index - 1) run[1] = index;
    else runs.push([index, index]);
  }
  return runs.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(',');
};

/** The indexes of a text that is like `IMAGE_LIST`. */
export const imagesIn = (list: string): number[] =>
  list.split(',').flatMap((run) => {
    const [from = 0, to = from] = run.split('-').map(Number);
    return Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);
  });
