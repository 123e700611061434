/** Stage 2: where the product is, found by two passes of the model, and a third where they leave doubt. */
import { type Failure, failure } from '../../errors.ts';
import { fail, ok, type Result } from '../../result.ts';
import { boundingBox, longerSide } from '../box.ts';
import { removeSpuriousComponents } from '../components.ts';
import { certainty, intersectionOverUnion } from '../confidence.ts';
import { cutEnclosedHoles } from '../enclosed-holes.ts';
import { fusePasses, normaliseMatte } from '../fuse-passes.ts';
import { cropRegion, fusionGrid, matteBoxToPhoto } from '../geometry.ts';
import { mirrorGray, mirrorRgb } from '../mirror.ts';
import { type Box, frameOf, type Gray, type Rgb, type Size } from '../raster.ts';
import { resampleGray, resampleOnto } from '../resample.ts';
import { resolveSoftRegions } from '../soft-regions.ts';
import { findSpuriousRegions, suppressRegions } from '../spurious-regions.ts';
import type { Infer, Matte, PhotoSource } from './types.ts';

/** The network was trained at this size; at half of it it sees whole objects where it sees parts at full size. */
const FINE: Size = { width: 1024, height: 1024 };
const COARSE: Size = { width: 512, height: 512 };
/** A third pass over the product alone has about this many pixels, and sides that the network takes. */
const CROP_AREA = 768 * 768;
const SIDE_MULTIPLE = 64;
/** A coarse pass has little say in where edges run. */
const COARSE_EDGE_WEIGHT = 0.2;
/**
 * The third pass follows where the first two agree less than this (intersection over union), or where the product's
 * longer side takes less than this share of the frame.
 */
const AGREEMENT_MIN = 0.9;
const SMALL_SHARE = 0.6;
/** From this agreement on the fine pass has found the whole, so that a gap inside it is a hole, not a missed part. */
const HOLES_AGREEMENT_MIN = 0.8;
/** What any pass finds with this alpha (0..255) belongs to the crop. */
const CROP_THRESHOLD = 64;
/** Less product than this share of the frame is none. */
const PRODUCT_SHARE_MIN = 0.0005;
/**
 * A matte less certain than this has found a soft region, not a product. Disagreement of the passes is no sign of that:
 * one may find a print only.
 */
const CERTAINTY_MIN = 0.2;

/** Confidence is the first two passes' agreement times the matte's certainty. Fails with no_product_found. */
export const matte = async (photo: PhotoSource, infer: Infer): Promise<Result<Matte, Failure>> => {
  const frame = frameOf(photo.size);
  if (photo.alpha) return ok({ plane: photo.alpha, region: frame, confidence: 1 });
  const whole = await photo.part(frame, FINE);
  // A mirrored pass errs elsewhere than a straight one.
  const half = mirrorRgb(await photo.resize(whole, COARSE));
  const fine = await runPass(whole, infer);
  const coarse = mirrorGray(await runPass(half, infer));
  const coarseOnFine = resampleGray(coarse, frameOf(coarse), FINE);
  const agreement = intersectionOverUnion(fine, coarseOnFine);
  if (agreement >= HOLES_AGREEMENT_MIN) cutEnclosedHoles(coarseOnFine, fine);
  const product = boundingBox(maximum(fine, coarseOnFine), CROP_THRESHOLD);
  if (!product) return fail(failure('no_product_found'));
  const isSmall = longerSide(product) < SMALL_SHARE * FINE.width;
  const fused =
    agreement < AGREEMENT_MIN || isSmall
      ? await fuseWithCrop(photo, matteBoxToPhoto(product, frame, FINE), [fine, coarseOnFine], infer)
      : { ...fuse([fine], coarseOnFine), region: frame };
  const decided = certainty(fused.plane);
  resolveSoftRegions(fused.plane);
  const mass =
    removeSpuriousComponents(fused.plane, fused.passes) *
    ((fused.region.width * fused.region.height) / (fused.plane.width * fused.plane.height));
  if (mass < PRODUCT_SHARE_MIN * frame.width * frame.height || decided < CERTAINTY_MIN)
    return fail(failure('no_product_found'));
  return ok({ plane: fused.plane, region: fused.region, confidence: agreement * decided });
};

/** A fused matte, and the normalised passes it was fused from. */
type Fused = { readonly plane: Gray; readonly passes: readonly Gray[] };

/** All of one size; they are overwritten. */
const fuse = (fine: readonly Gray[], coarse: Gray): Fused => {
  const mattes = [...fine, coarse];
  const passes = mattes.map((pass) => ({
    matte: normaliseMatte(pass),
    edgeWeight: pass === coarse ? COARSE_EDGE_WEIGHT : 1,
  }));
  const plane = fusePasses(passes);
  const spurious = findSpuriousRegions(plane, fine, coarse);
  if (!spurious) return { plane, passes: mattes };
  suppressRegions(spurious, fine, coarse);
  return { plane: fusePasses(passes), passes: mattes };
};

/** A third pass over the product and a margin; all three are fused on a grid as fine as the finest of them there. */
const fuseWithCrop = async (
  photo: PhotoSource,
  product: Box,
  [fine, coarse]: readonly [Gray, Gray],
  infer: Infer,
): Promise<Fused & { region: Box }> => {
  const frame = frameOf(photo.size);
  const { region, size } = cropRegion(product, frame, CROP_AREA, SIDE_MULTIPLE);
  const crop = await runPass(await photo.part(region, size), infer);
  const grid = fusionGrid(region, frame, FINE, size);
  const fused = fuse(
    [resampleOnto(crop, region, region, grid), resampleOnto(fine, frame, region, grid)],
    resampleOnto(coarse, frame, region, grid),
  );
  return { ...fused, region };
};

/** One run of the model. */
const runPass = async (picture: Rgb, infer: Infer): Promise<Gray> => {
  const { width, height } = picture;
  return { data: await infer({ rgb: picture.data, width, height }), width, height };
};

/** Pixelwise maximum of two mattes of one size. */
const maximum = (a: Gray, b: Gray): Gray => {
  const data = a.data.slice();
  for (let i = 0; i < data.length; i++) if (b.data[i]! > data[i]!) data[i] = b.data[i]!;
  return { ...a, data };
};
