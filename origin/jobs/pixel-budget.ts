/**
 * Bounds memory by what images weigh, not by how many there are: the pixels of all images being worked on, each counted
 * at its larger end, stay within a budget. An image larger than the whole budget is let in alone. First come, first served, so that a large one is not
 * overtaken for ever.
 */
import type { MainImageInput } from '../pipeline/main-image.ts';

export type PixelBudget = {
  /** Runs `work` once there is room for `image`; what is `yielding` waits until nothing else does. */
  within<T>(image: WeighedImage, work: () => Promise<T>, rank?: 'paid' | 'yielding'): Promise<T>;
};

type Waiting = { readonly pixels: number; readonly enter: () => void };
type WeighedImage = Pick<MainImageInput, 'bytes' | 'options'>;
/**
 * Pixels of the photo or of its result, whichever is larger; undefined for what cannot be read, which then weighs
 * nothing because it is refused at once.
 */
export type MeasurePixels = (image: WeighedImage) => Promise<number | undefined>;

export const createPixelBudget = (pixelsMax: number, measure: MeasurePixels): PixelBudget => {
  let inUse = 0;
  const paid: Waiting[] = [];
  const yielding: Waiting[] = [];

  const letIn = (): void => {
    for (;;) {
      const queue = paid.length > 0 ? paid : yielding;
      const [next] = queue;
      if (!next || inUse + next.pixels > pixelsMax) return;
      queue.shift();
      inUse += next.pixels;
      next.enter();
    }
  };

  return {
    within: async (image, work, rank = 'paid') => {
      const pixels = Math.min((await measure(image)) ?? 0, pixelsMax);
      await new Promise<void>((enter) => {
        (rank === 'paid' ? paid : yielding).push({ pixels, enter });
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
