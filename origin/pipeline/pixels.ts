/** How large an encoded image is, by its header alone. */
import sharp from 'sharp';
import { sniffImage } from '../../shared/image-type.ts';

/** Width × height; undefined where the header cannot be read, which decode.ts then refuses with the reason. */
export const pixelsOf = async (bytes: Uint8Array): Promise<number | undefined> => {
  if (sniffImage(bytes) === undefined) return undefined;
  const header = await sharp(bytes, { limitInputPixels: false })
    .metadata()
    .catch(() => undefined);
  return header && header.width * header.height;
};
