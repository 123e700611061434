/** What a job weighs in memory: the pixels of its photo, by the header alone, or of its result. */
import sharp from 'sharp';
import { sniffImage } from '../../shared/image-type.ts';
import type { ResolvedOptions } from '../../shared/options.ts';
import type { MainImageInput } from './main-image.ts';

type Weighed = Pick<MainImageInput, 'bytes'> & { readonly options: Pick<ResolvedOptions, 'layout' | 'canvas'> };

/** The larger of photo and result; undefined where the header cannot be read, which decode.ts refuses with the reason. */
export const pixelsOf = async ({ bytes, options }: Weighed): Promise<number | undefined> => {
  if (sniffImage(bytes) === undefined) return undefined;
  const header = await sharp(bytes, { limitInputPixels: false })
    .metadata()
    .catch(() => undefined);
  return header && Math.max(header.width * header.height, options.layout === 'hero' ? options.canvas ** 2 : 0);
};
