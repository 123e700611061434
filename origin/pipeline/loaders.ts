/**
 * Which formats libvips may open. It knows far more than the six accepted ones, and some of them (SVG with filters or
 * entities) take minutes and gigabytes for a kilobyte of input.
 */
import sharp from 'sharp';

const LOADERS = [
  'VipsForeignLoadJpegBuffer',
  'VipsForeignLoadPngBuffer',
  'VipsForeignLoadWebpBuffer',
  'VipsForeignLoadNsgifBuffer',
  'VipsForeignLoadTiffBuffer',
  'VipsForeignLoadHeifBuffer',
] as const;

/**
 * Blocks every loader but those of the accepted formats, and of these the ones that read files. It holds for the whole
 * process with all its threads; call it once, before the first thread starts: while it runs, nothing can be decoded.
 */
export const allowAcceptedFormatsOnly = (): void => {
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: [...LOADERS] });
};
