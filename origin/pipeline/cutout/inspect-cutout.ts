/** Stage 7 for a result in the photo's own frame. The product's box follows from the cut-out; the rest is read back. */
import sharp from 'sharp';
import type { CutoutOptions } from '../../../shared/cutout-options.ts';
import { boundingBox } from '../../../shared/imaging/box.ts';
import { checkCompliance, type FileFacts, isAmazonCompliant } from '../../../shared/imaging/compliance.ts';
import type { Cutout } from '../../../shared/imaging/cutout.ts';
import { jpegQuality } from '../../../shared/imaging/jpeg/read-quality.ts';
import { type Measured, measure } from '../../../shared/imaging/measure.ts';
import type { Box } from '../../../shared/imaging/raster.ts';
import type { ResolvedOptions } from '../../../shared/options.ts';
import type { Inspected } from '../inspect.ts';
import type { Composed, Encoded } from '../main-image.ts';
import { visible } from './frame.ts';

const WHITE = '#ffffffff';

const productBoxOf = ({ alpha, at, canvas }: Cutout): Box => {
  const box = boundingBox(alpha, 1);
  if (!box) throw new Error('the cut-out holds no product');
  return visible({ ...box, x: box.x + at.x, y: box.y + at.y }, canvas);
};

export const inspectCutout = async (
  file: Encoded,
  picture: Composed,
  cutout: Cutout,
  options: ResolvedOptions,
  { background, container, channels }: CutoutOptions,
): Promise<Inspected> => {
  const { width, height } = picture;
  const isWhite = background === WHITE && channels === 'rgba' && container === 'file';
  const measured = isWhite ? await measureFile(file, picture, cutout) : undefined;
  const facts: FileFacts = {
    size: { width, height },
    bytes: file.bytes.byteLength,
    jpegQuality: jpegQuality(file.bytes),
    format: options.format,
    colourSpace: channels === 'alpha' ? 'b-w' : 'srgb',
    bitsPerSample: 8,
    transparent: picture.channels === 4,
    notWhitePixels: measured?.strayPixels ?? width * height,
    shadowPixels: measured?.shadowPixels ?? 0,
    productBox: productBoxOf(cutout),
  };
  const compliance = checkCompliance(options.marketplace, facts);
  return {
    productBox: facts.productBox,
    compliance,
    amazonCompliant: container === 'file' && isAmazonCompliant(facts),
  };
};

const measureFile = async (file: Encoded, picture: Composed, cutout: Cutout): Promise<Measured> => {
  const { data, info } = await sharp(file.bytes, { failOn: 'warning' }).raw().toBuffer({ resolveWithObject: true });
  const decoded = { data, width: info.width, height: info.height, channels: info.channels as 3 | 4 };
  return measure(decoded, [255, 255, 255], cutout, picture);
};
