/** What a test key gets instead of its finished picture: reduced, and marked so that it is of no use as a product image. */
import { createHash } from 'node:crypto';
import sharp from 'sharp';
import { longerSide, scaleBox } from '../../shared/imaging/box.ts';
import type { Box } from '../../shared/imaging/raster.ts';
import { markAsTest } from '../../shared/imaging/watermark.ts';
import { limits } from '../../shared/limits.ts';
import type { Composed } from './main-image.ts';

/**
 * `product`: its box in `picture`. `input`: the file sent; the mark follows from it alone, so that a repeated job gives
 * the same bytes, and the same photo with other options the same mark.
 */
export const testResult = async (picture: Composed, product: Box, input: Uint8Array): Promise<Composed> => {
  const small = await reduced(picture);
  const seed = createHash('sha256').update(input).digest().readUInt32LE();
  markAsTest(
    small,
    small.channels,
    scaleBox(product, small.width / picture.width, small.height / picture.height),
    seed,
  );
  return small;
};

/** At most `limits.testResult.sideMax` px a side. */
const reduced = async (picture: Composed): Promise<Composed> => {
  const { data, width, height, channels } = picture;
  const { sideMax } = limits.testResult;
  if (longerSide(picture) <= sideMax) return { ...picture, data: data.slice() };
  const small = await sharp(data, { raw: { width, height, channels } })
    .resize({ width: sideMax, height: sideMax, fit: 'inside' })
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data: small.data, width: small.info.width, height: small.info.height, channels };
};
