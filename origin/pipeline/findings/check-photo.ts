/**
 * A photo in, what is found about it out: no result is made. In two steps, so that the photo's pixels are held only while
 * it is decoded and reduced, not while its check waits for the model behind paid images.
 */
import sharp from 'sharp';
import type { Failure } from '../../../shared/errors.ts';
import type { CheckReport } from '../../../shared/findings.ts';
import { snapOutward } from '../../../shared/imaging/box.ts';
import { sizeWithin } from '../../../shared/imaging/findings/evidence.ts';
import { findAll } from '../../../shared/imaging/findings/find.ts';
import { movedBy } from '../../../shared/imaging/findings/finding.ts';
import type { Gray, Size } from '../../../shared/imaging/raster.ts';
import { quickMatte } from '../../../shared/imaging/stages/matte.ts';
import { chooseRegion } from '../../../shared/imaging/stages/region.ts';
import type { ResolvedOptions } from '../../../shared/options.ts';
import { ok, type Result } from '../../../shared/result.ts';
import type { Decode, Infer, Photo } from '../main-image.ts';
import { photoSource, releasePhoto } from '../photo-source.ts';
import { type Detectors, type FileEvidence, gatherEvidence, readFileEvidence, rememberFrame } from './gather.ts';

/** Longer side of the copy that is kept, px: what a product's edges are measured on has half of it at most. */
const REDUCED_SIDE_MAX = 2048;

export type ReducedPhoto = {
  /** The upright input's, px. */
  readonly size: Size;
  readonly photo: Photo;
  readonly file: FileEvidence;
};
/** The check's share that is found here; the rest is the caller's. */
export type PhotoReport = Omit<CheckReport, 'processing_ms'>;

/** Fails as decode does. */
export const reducePhoto = async (bytes: Uint8Array, decode: Decode): Promise<Result<ReducedPhoto, Failure>> => {
  const decoded = await decode(bytes);
  if (!decoded.ok) return decoded;
  const { rgb, alpha } = decoded.value;
  const size = { width: rgb.width, height: rgb.height };
  const file = readFileEvidence(bytes, decoded.value);
  const to = sizeWithin(size, REDUCED_SIDE_MAX);
  if (to.width === size.width) return ok({ size, photo: decoded.value, file });
  const photo: Photo = {
    rgb: await photoSource({ rgb, alpha: undefined }).resize(rgb, to),
    alpha: alpha && (await reducedAlpha(alpha, to)),
  };
  releasePhoto(decoded.value);
  return ok({ size, photo, file });
};

const reducedAlpha = async ({ data, width, height }: Gray, to: Size): Promise<Gray> => ({
  data: await sharp(data, { raw: { width, height, channels: 1 } })
    .resize({ ...to, fit: 'fill' })
    .extractChannel(0)
    .raw()
    .toBuffer(),
  ...to,
});

export type Models = Detectors & { readonly infer: Infer };

/** Fails with invalid_options where the photo does not hold the region. Throws what the models throw. */
export const checkReduced = async (
  { size, photo, file }: ReducedPhoto,
  options: ResolvedOptions,
  { infer, ...detectors }: Models,
): Promise<Result<PhotoReport, Failure>> => {
  const reduced = photoSource(photo);
  const chosen = chooseRegion(reduced, options.region, size);
  if (!chosen.ok) return chosen;
  const { at, within } = chosen.value;
  const scale = reduced.size.width / size.width;
  const { source, frame } = rememberFrame(chosen.value.source);
  const found = await quickMatte(source, infer, within);
  const matte = found.ok ? found.value : undefined;
  const part = { width: Math.round(source.size.width / scale), height: Math.round(source.size.height / scale) };
  const corner = { x: Math.round(at.x / scale), y: Math.round(at.y / scale) };
  const evidence = await gatherEvidence({ source, frame, photo: part, file, matte, options, detectors });
  const { product } = evidence;
  return ok({
    ...size,
    product_box: product ? snapOutward({ ...product, x: product.x + corner.x, y: product.y + corner.y }, size) : null,
    matte_confidence: evidence.confidence,
    findings: findAll(evidence).map((finding) => movedBy(finding, corner)),
  });
};
