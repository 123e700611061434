/** Stage 6: the finished picture → the file and its preview. No camera metadata: only pixels are written. */
import sharp, { type Sharp } from 'sharp';
import { encodeWhiteExact } from '../../shared/imaging/jpeg/encoder.ts';
import { limits } from '../../shared/limits.ts';
import type { ResolvedOptions } from '../../shared/options.ts';
import type { Composed, Encoded } from './main-image.ts';

const contentTypes = { jpg: 'image/jpeg', png: 'image/png', webp: 'image/webp' } as const;

const open = ({ data, width, height, channels }: Composed): Sharp => sharp(data, { raw: { width, height, channels } });

/**
 * A JPEG on white is written by our own encoder: a common one rings around the product, and no quality setting keeps
 * its white pure.
 */
export const encode = async (picture: Composed, { format, quality, background }: ResolvedOptions): Promise<Encoded> => {
  if (format === 'jpg' && background === '#ffffff')
    return { bytes: encodeWhiteExact(picture, quality), type: contentTypes.jpg };
  const image = open(picture);
  const encoded =
    format === 'jpg'
      ? image.jpeg({ quality, chromaSubsampling: '4:4:4' })
      : format === 'png'
        ? image.png({ compressionLevel: 6 })
        : image.webp({ quality, smartSubsample: true });
  return { bytes: await encoded.toBuffer(), type: contentTypes[format] };
};

/** At most `limits.preview.sideMax` px a side; PNG only where the picture is transparent. */
export const encodePreview = async (picture: Composed): Promise<Encoded> => {
  const { sideMax, quality } = limits.preview;
  const image = open(picture).resize({ width: sideMax, height: sideMax, fit: 'inside', withoutEnlargement: true });
  const type = picture.channels === 4 ? 'image/png' : 'image/jpeg';
  return { bytes: await (picture.channels === 4 ? image.png() : image.jpeg({ quality })).toBuffer(), type };
};
