/**
 * Bounds memory by what images weigh, not by how many there are: the pixels of all images being worked on, each counted
 * at its larger end, stay within a budget. An image larger than the whole budget is let in alone. First come, first served, so that a large one is not
 * overtaken for ever.
 */
import type { MainImageInput } from '../pipeline/main-image.ts';

export type PixelBudget = {
  /** Runs `work` once there is room for `image`. */
  within<T>(image: WeighedImage, work: () => Promise<T>): Promise<T>;
};

type WeighedImage = Pick<MainImageInput, 'bytes' | 'options'>;
/**
 * Pixels of the photo or of its result, whichever is larger; undefined for what cannot be read, which then weighs
 * nothing because it is refused at once.
 */
export type MeasurePixels = (image: WeighedImage) => Promise<number | undefined>;

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
    within: async (image, work) => {
      const pixels = Math.min((await measure(image)) ?? 0, pixelsMax);
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
