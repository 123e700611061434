/** What a job weighs in memory: the pixels of its photo, by the header alone, or of its result. */
import type { Size } from '../../shared/imaging/raster.ts';
import { canvasSize } from '../../shared/marketplaces/index.ts';
import type { ResolvedOptions } from '../../shared/options.ts';
import type { MainImageInput } from './main-image.ts';

type Weighed = Pick<MainImageInput, 'bytes'> & { readonly options: Pick<ResolvedOptions, 'layout' | 'canvas'> };
type Measure = (bytes: Uint8Array) => Promise<Size | undefined>;

/** The larger of photo and result; undefined where the header cannot be read, which decoding refuses with the reason. */
export const pixelsBy =
  (measure: Measure) =>
  async ({ bytes, options }: Weighed): Promise<number | undefined> => {
    const size = await measure(bytes);
    const { width, height } = options.layout === 'hero' ? canvasSize(options.canvas) : { width: 0, height: 0 };
    return size && Math.max(size.width * size.height, width * height);
  };
