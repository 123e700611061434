/**
 * Bounds memory by what images weigh, not by how many there are: the pixels of all images being worked on stay within a
 * budget. An image larger than the whole budget is let in alone. First come, first served, so that a large one is not
 * overtaken for ever.
 */
export type PixelBudget = {
  /** Runs `work` once there is room for the image in `bytes`. */
  within<T>(bytes: Uint8Array, work: () => Promise<T>): Promise<T>;
};

/**
 * Width × height of an encoded image; undefined for what cannot be read, which then weighs nothing because it is
 * refused at once.
 */
export type MeasurePixels = (bytes: Uint8Array) => Promise<number | undefined>;

export const createPixelBudget = (pixelsMax: number, measure: MeasurePixels): PixelBudget => {
  let inUse = 0;
  const waiting: { readonly pixels: number; readonly enter: () => void }[] = [];

  const letIn = (): void => {
    for (let next = waiting[0]; next && inUse + next.pixels <= pixelsMax; next = waiting[0]) {
      waiting.shift();
      inUse += next.pixels;
      next.enter();
    }
  };

  return {
    within: async (bytes, work) => {
      const pixels = Math.min((await measure(bytes)) ?? 0, pixelsMax);
      await new Promise<void>((enter) => {
        waiting.push({ pixels, enter });
        letIn();
      });
      try {
        return await work();
      } finally {
        inUse -= pixels;
        letIn();
      }
    },
  };
};
