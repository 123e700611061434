/** The findings about a photo whose product has been found. */
import type { Finding } from '../../../shared/findings.ts';
import { findAll } from '../../../shared/imaging/findings/find.ts';
import { movedBy, type Point } from '../../../shared/imaging/findings/finding.ts';
import type { Rgb, Size } from '../../../shared/imaging/raster.ts';
import type { Matte, PhotoSource } from '../../../shared/imaging/stages/types.ts';
import type { ResolvedOptions } from '../../../shared/options.ts';
import type { Photo } from '../main-image.ts';
import { type Detectors, gatherEvidence, readFileEvidence } from './gather.ts';

export type SeenPhoto = {
  readonly bytes: Uint8Array;
  readonly photo: Photo;
  /** The photo, or the part of it that was chosen, with its upper left corner in the photo. */
  readonly source: PhotoSource;
  readonly at: Point;
  /** All of `source` at a size. */
  readonly frame: (size: Size) => Promise<Rgb>;
  readonly matte: Matte;
};

/** Throws what the detectors throw. */
export const findInPhoto = async (
  { bytes, photo, source, at, frame, matte }: SeenPhoto,
  options: ResolvedOptions,
  detectors: Detectors,
): Promise<Finding[]> => {
  const file = readFileEvidence(bytes, photo);
  const evidence = await gatherEvidence({ source, frame, photo: source.size, file, matte, options, detectors });
  return findAll(evidence).map((finding) => movedBy(finding, at));
};
