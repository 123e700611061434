/** The matte that came with the photo, read for it. */
import type { Failure } from '../../shared/errors.ts';
import { givenMatte } from '../../shared/imaging/stages/given-matte.ts';
import type { Matte, PhotoSource } from '../../shared/imaging/stages/types.ts';
import { fail, type Result } from '../../shared/result.ts';
import { invalidMatte } from './decode-matte.ts';
import type { DecodeMatte } from './main-image.ts';

/** Fails with invalid_matte, no_product_found, and with origin_busy where the decoder shuts down. */
export const callerMatte = async (
  bytes: Uint8Array,
  photo: PhotoSource,
  decode: DecodeMatte | undefined,
): Promise<Result<Matte, Failure>> => {
  if (!decode) throw new Error('nothing decodes mattes here');
  const plane = await decode(bytes, photo.size);
  if (plane.ok) return givenMatte(plane.value, photo);
  const { code, detail } = plane.failure;
  return code === 'undecodable_image' ? fail(invalidMatte(`The matte cannot be read: ${detail}`)) : plane;
};
