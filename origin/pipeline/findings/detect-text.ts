/** One run of the text detector over a photo. */
import type { Gray, Rgb, Size } from '../../../shared/imaging/raster.ts';
import type { Infer } from '../main-image.ts';

/** About so many pixels: lines of 1/40 of the photo's height are still found, at half the time of 640². docs/findings.md. */
const AREA = 512 * 512;
const SIDE_MULTIPLE = 64;

/** The detector's input for a photo: its aspect, clamped to 1:2, about AREA pixels. */
export const textInputSize = ({ width, height }: Size): Size => {
  const aspect = Math.min(2, Math.max(0.5, width / height));
  const multiple = (side: number): number => Math.max(SIDE_MULTIPLE, Math.round(side / SIDE_MULTIPLE) * SIDE_MULTIPLE);
  return { width: multiple(Math.sqrt(AREA * aspect)), height: multiple(Math.sqrt(AREA / aspect)) };
};

/** `picture`: all of the photo, stretched to its input size. The probability of text, 0..255, of the same size. */
export const detectText = async ({ data, width, height }: Rgb, infer: Infer): Promise<Gray> => ({
  data: await infer({ rgb: data, width, height }),
  width,
  height,
});
