/** What a job weighs in memory: the pixels of its photo, by the header alone, or of its results. */
import { sniffImage } from '../../shared/image-type.ts';
import type { Size } from '../../shared/imaging/raster.ts';
import { canvasPixels, type ResolvedOptions } from '../../shared/options.ts';
import type { MainImageInput } from './main-image.ts';

type Weighed = Pick<MainImageInput, 'bytes'> & {
  readonly options: Pick<ResolvedOptions, 'layout' | 'canvas' | 'others'>;
};
/** A pixel of JPEG XL takes its decoder 62 bytes, others 25 at most. */
const JXL_WEIGHT = 2.5;
type Measure = (bytes: Uint8Array) => Promise<Size | undefined>;

/**
 * The larger of the photo and of its results, which are in memory at once; undefined where the header cannot be read,
 * which decoding refuses with the reason.
 */
export const pixelsBy =
  (measure: Measure) =>
  async ({ bytes, options }: Weighed): Promise<number | undefined> => {
    const size = await measure(bytes);
    if (!size) return undefined;
    const weight = sniffImage(bytes) === 'image/jxl' ? JXL_WEIGHT : 1;
    return Math.max(weight * size.width * size.height, canvasPixels(options));
  };
