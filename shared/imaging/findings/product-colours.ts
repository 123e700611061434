/** Which colours a photo's product has and its background has not, as far as the matte tells the two apart. */
import type { Box, Gray, Rgb } from '../raster.ts';

/** A colour's bin: 16 levels a channel, so that grain and JPEG's noise stay within one and its neighbours. */
const BINS = 16;
const binOf = (data: Uint8Array, at: number): number =>
  ((data[at]! >> 4) * BINS + (data[at + 1]! >> 4)) * BINS + (data[at + 2]! >> 4);

/** Alpha from which a sample is surely product, and below which it is surely not. */
const SURELY_PRODUCT_MIN = 200;
const BACKGROUND_MAX = 12;
/** How much more often a colour is the product's than the background's, each as share of its own area. docs/findings.md. */
const RATIO_MIN = 4;
/** Added to both shares: a colour that neither has says nothing. */
const SHARE_FLOOR = 1e-5;

/** Whether the picture's sample of that index has a colour of the product's. `alpha`: of its size; `within`: what is read. */
export const productColours = ({ data, width }: Rgb, alpha: Gray, within: Box): ((sample: number) => boolean) => {
  const product = new Float32Array(BINS ** 3);
  const background = new Float32Array(BINS ** 3);
  const samples = { product: 1, background: 1 };
  for (let y = within.y; y < within.y + within.height; y++)
    for (let i = y * width + within.x, end = i + within.width; i < end; i++) {
      const level = alpha.data[i]!;
      if (level >= SURELY_PRODUCT_MIN) {
        product[binOf(data, 3 * i)]!++;
        samples.product++;
      } else if (level <= BACKGROUND_MAX) {
        background[binOf(data, 3 * i)]!++;
        samples.background++;
      }
    }
  const [ofProduct, ofBackground] = [smoothed(product), smoothed(background)];
  const isProducts = Uint8Array.from(ofProduct, (count, bin) => {
    const share = count / samples.product + SHARE_FLOOR;
    return share >= RATIO_MIN * (ofBackground[bin]! / samples.background + SHARE_FLOOR) ? 1 : 0;
  });
  return (sample) => isProducts[binOf(data, 3 * sample)] === 1;
};

/** Half of each bin is counted in the next ones too, channel by channel. */
const smoothed = (counts: Float32Array): Float32Array => {
  let from = counts;
  for (const stride of [1, BINS, BINS * BINS]) {
    from = from.map((count, bin) => {
      const level = Math.floor(bin / stride) % BINS;
      const below = level > 0 ? from[bin - stride]! : 0;
      const above = level < BINS - 1 ? from[bin + stride]! : 0;
      return count + (below + above) / 2;
    });
  }
  return from;
};
