/** Stage 7: what the file really is, read back from its bytes. */
import sharp from 'sharp';
import type { Compliance } from '../../shared/api.ts';
import { checkCompliance, type FileFacts, isAmazonCompliant } from '../../shared/imaging/compliance.ts';
import { type Cutout, parseHex } from '../../shared/imaging/cutout.ts';
import { jpegQuality } from '../../shared/imaging/jpeg/read-quality.ts';
import { measure } from '../../shared/imaging/measure.ts';
import type { Box } from '../../shared/imaging/raster.ts';
import type { ResolvedOutput } from '../../shared/options.ts';
import type { Composed, Encoded } from './main-image.ts';

export type Inspected = {
  readonly productBox: Box;
  readonly compliance: Compliance;
  readonly amazonCompliant: boolean;
};

const formatOf = { jpeg: 'jpg', png: 'png', webp: 'webp' } as const;

/**
 * Decodes the file again and measures it; `picture` is what it was made of. Throws where our own output cannot be read: a
 * bug.
 */
export const inspect = async (
  file: Encoded,
  picture: Composed,
  cutout: Cutout,
  options: ResolvedOutput,
): Promise<Inspected> => {
  const image = sharp(file.bytes, { failOn: 'warning' });
  const [header, { data, info }] = await Promise.all([
    sharp(file.bytes).metadata(),
    image.raw().toBuffer({ resolveWithObject: true }),
  ]);
  const channels = info.channels as 3 | 4;
  const decoded = { data, width: info.width, height: info.height, channels };
  const transparent = channels === 4;
  const onBackground = measure(decoded, transparent ? [0, 0, 0] : parseHex(options.background), cutout, picture);
  const isWhite = options.background === '#ffffff';
  const productBox = onBackground.productBox;
  if (!productBox) throw new Error('the output file holds no product');
  const facts: FileFacts = {
    size: { width: info.width, height: info.height },
    bytes: file.bytes.byteLength,
    jpegQuality: jpegQuality(file.bytes),
    format: formatOf[header.format as keyof typeof formatOf],
    colourSpace: header.space ?? 'unknown',
    bitsPerSample: header.depth === 'uchar' ? 8 : 16,
    transparent,
    notWhitePixels: isWhite ? onBackground.strayPixels : decoded.width * decoded.height,
    shadowPixels: isWhite ? onBackground.shadowPixels : 0,
    productBox,
  };
  const compliance = checkCompliance(options.marketplace, facts);
  return { productBox, compliance, amazonCompliant: isAmazonCompliant(facts) };
};
