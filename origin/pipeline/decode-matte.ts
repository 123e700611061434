/**
 * The matte that a caller sent: a PNG → one sample a pixel, 255 where the product is. A node runs it in its decoder's
 * processes only (origin/decoder).
 */
import sharp, { type Metadata, type Sharp } from 'sharp';
import { type Failure, failure } from '../../shared/errors.ts';
import { sniffImage } from '../../shared/image-type.ts';
import type { Gray, Size } from '../../shared/imaging/raster.ts';
import { limits } from '../../shared/limits.ts';
import { fail, ok, type Result } from '../../shared/result.ts';

/** By rounding, a side may differ from what the photo's shape makes of the other one by so many pixels. */
const ROUNDING_PX = 1;

/** `photo`: the upright photo's size. Fails with invalid_matte; nothing is allocated for a matte of another size. */
export const decodeMatte = async (bytes: Uint8Array, photo: Size): Promise<Result<Gray, Failure>> => {
  if (sniffImage(bytes) !== 'image/png') return fail(invalidMatte('The matte is not a PNG file'));
  try {
    const header = await open(bytes, false).metadata();
    const wrong = headerFault(header, photo);
    return wrong === undefined ? await samples(bytes, header) : fail(invalidMatte(wrong));
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0]!.slice(0, 120) : 'unknown';
    return fail(invalidMatte(`The matte is damaged or cut off (${reason})`));
  }
};

export const invalidMatte = (detail: string): Failure => failure('invalid_matte', detail);

/** Samples as they stand in the file: no profile and no gamma turns them into others. */
const open = (bytes: Uint8Array, limitInputPixels: number | false): Sharp =>
  sharp(bytes, { failOn: 'error', limitInputPixels, ignoreIcc: true }).autoOrient();

const headerFault = (header: Metadata, photo: Size): string | undefined => {
  const { width, height } = header.autoOrient;
  const { sideMin } = limits.image;
  if (header.format !== 'png') return 'The matte is not a PNG file';
  if (header.depth !== 'uchar') return 'The matte has more than 8 bits a sample; save it with 8';
  if (Math.min(width, height) < sideMin)
    return `The matte is ${width} × ${height} pixels; at least ${sideMin} a side are needed`;
  return fits({ width, height }, photo)
    ? undefined
    : `The matte is ${width} × ${height} pixels and the photo, as it is shown, ${photo.width} × ${photo.height}; a matte has the shape of the photo and is no larger`;
};

const fits = ({ width, height }: Size, photo: Size): boolean =>
  width <= photo.width &&
  height <= photo.height &&
  (Math.abs((width * photo.height) / photo.width - height) <= ROUNDING_PX ||
    Math.abs((height * photo.width) / photo.height - width) <= ROUNDING_PX);

const samples = async (bytes: Uint8Array, { hasAlpha }: Metadata): Promise<Result<Gray, Failure>> => {
  const { data, info } = await open(bytes, limits.image.pixelsMax)
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  const plane = new Uint8Array(width * height);
  const sample = hasAlpha ? channels - 1 : 0;
  for (let i = 0, at = sample; i < plane.length; i++, at += channels) plane[i] = data[at]!;
  if (hasAlpha && plane.every((alpha) => alpha === 255))
    return fail(
      invalidMatte('The matte has an alpha channel that is opaque everywhere: put the matte into it, or leave it out'),
    );
  if (!hasAlpha && channels >= 3 && !isGrey(data, channels))
    return fail(invalidMatte('The matte is in colour: save it as grey, or as the alpha channel'));
  return ok({ data: plane, width, height });
};

const isGrey = (data: Uint8Array, channels: number): boolean => {
  for (let at = 0; at < data.length; at += channels)
    if (data[at] !== data[at + 1] || data[at] !== data[at + 2]) return false;
  return true;
};
