/** The findings about a photo whose product has been found. */
import type { Finding } from '../../../shared/findings.ts';
import { findAll } from '../../../shared/imaging/findings/find.ts';
import type { Rgb, Size } from '../../../shared/imaging/raster.ts';
import type { Infer, Matte, PhotoSource } from '../../../shared/imaging/stages/types.ts';
import type { ResolvedOptions } from '../../../shared/options.ts';
import type { Photo } from '../main-image.ts';
import { gatherEvidence, readFileEvidence } from './gather.ts';

export type SeenPhoto = {
  readonly bytes: Uint8Array;
  readonly photo: Photo;
  readonly source: PhotoSource;
  /** All of the photo at a size. */
  readonly frame: (size: Size) => Promise<Rgb>;
  readonly matte: Matte;
};

/** `readText` undefined: texts are not looked for. Throws what it throws. */
export const findInPhoto = async (
  { bytes, photo, source, frame, matte }: SeenPhoto,
  options: ResolvedOptions,
  readText: Infer | undefined,
): Promise<Finding[]> => {
  const file = readFileEvidence(bytes, photo);
  return findAll(await gatherEvidence({ source, frame, photo: source.size, file, matte, options, readText }));
};
