/** The passes of the model over a photo: two over the frame, and a third over the product where they leave doubt. */
import { colourGrid, measureBackdrop } from '../backdrop.ts';
import { boundingBox, longerSide } from '../box.ts';
import { intersectionOverUnion } from '../confidence.ts';
import { cellGrid, cellMeans, normaliseMatte } from '../fuse-passes.ts';
import { cropRegion, fusionGrid, matteBoxToPhoto } from '../geometry.ts';
import { mirrorGray, mirrorRgb } from '../mirror.ts';
import { type Box, frameOf, type Gray, type Rgb, type Size } from '../raster.ts';
import type { Cells } from '../regions.ts';
import { resampleGray, resampleOnto } from '../resample.ts';
import type { Infer, PhotoSource } from './types.ts';

/** A part of the photo and the passes' mattes of it, normalised, all of one size; `picture` shows it at any size. */
export type View = {
  readonly region: Box;
  readonly picture: Rgb;
  readonly fine: Gray;
  readonly coarse: Gray;
  readonly crop: Gray | undefined;
  /** Intersection over union of the two passes over the frame, 0..1. */
  readonly agreement: number;
};

/** The network was trained at this size; at half of it it sees whole objects where it sees parts at full size. */
const FINE: Size = { width: 1024, height: 1024 };
const COARSE: Size = { width: 512, height: 512 };
/** A third pass over the product alone has about this many pixels, and sides that the network takes. */
const CROP_AREA = 768 * 768;
const SIDE_MULTIPLE = 64;
/**
 * The third pass follows where the first two agree less than this (intersection over union), or where the product's
 * longer side takes less than this share of the frame.
 */
const AGREEMENT_MIN = 0.9;
const SMALL_SHARE = 0.6;
/** What any pass finds with this alpha (0..255) belongs to the crop. */
const CROP_THRESHOLD = 64;
/** A cell is background where no pass finds more than this, 1/20. */
const BACKGROUND_MAX = 13;

/** Undefined where no pass finds anything. */
export const takeView = async (photo: PhotoSource, infer: Infer): Promise<View | undefined> => {
  const frame = frameOf(photo.size);
  const whole = await photo.part(frame, FINE);
  // A mirrored pass errs elsewhere than a straight one.
  const half = mirrorRgb(await photo.resize(whole, COARSE));
  const fine = await runPass(whole, infer);
  const small = mirrorGray(await runPass(half, infer));
  const coarse = resampleGray(small, frameOf(small), FINE);
  const agreement = intersectionOverUnion(fine, coarse);
  const product = boundingBox(maximum(fine, coarse), CROP_THRESHOLD);
  if (!product) return undefined;
  const first: View = { region: frame, picture: whole, fine, coarse, crop: undefined, agreement };
  const isSmall = longerSide(product) < SMALL_SHARE * FINE.width;
  const view =
    agreement < AGREEMENT_MIN || isSmall
      ? await closerView(photo, matteBoxToPhoto(product, frame, FINE), first, infer)
      : first;
  for (const pass of [view.fine, view.coarse, view.crop]) if (pass) normaliseMatte(pass);
  return view;
};

/** One pass over the frame, for an answer that may be rough. Undefined where it finds nothing. */
export const takeQuickView = async (photo: PhotoSource, infer: Infer): Promise<View | undefined> => {
  const region = frameOf(photo.size);
  const picture = await photo.part(region, FINE);
  const fine = await runPass(picture, infer);
  if (!boundingBox(fine, CROP_THRESHOLD)) return undefined;
  normaliseMatte(fine);
  return { region, picture, fine, coarse: fine, crop: undefined, agreement: 1 };
};

/** A third pass over the product and a margin, on a grid as fine as the finest pass there. */
const closerView = async (photo: PhotoSource, product: Box, first: View, infer: Infer): Promise<View> => {
  const { region, size } = cropRegion(product, first.region, CROP_AREA, SIDE_MULTIPLE);
  const picture = await photo.part(region, size);
  const crop = await runPass(picture, infer);
  const grid = fusionGrid(region, first.region, FINE, size);
  const onGrid = (pass: Gray, covers: Box): Gray => resampleOnto(pass, covers, region, grid);
  return {
    region,
    picture,
    fine: onGrid(first.fine, first.region),
    coarse: onGrid(first.coarse, first.region),
    crop: onGrid(crop, region),
    agreement: first.agreement,
  };
};

/** What is known of each cell of the view. */
export const cellsOf = ({ picture, fine, coarse, crop }: View): Cells => {
  const grid = cellGrid(fine);
  const fineMeans = cellMeans(fine);
  const means = { fine: fineMeans, coarse: cellMeans(coarse), crop: crop ? cellMeans(crop) : fineMeans };
  const colours = colourGrid(picture, grid.width, grid.height);
  const isBackground = Uint8Array.from(fineMeans, (alpha, cell) =>
    Math.max(alpha, means.coarse[cell]!, means.crop[cell]!) < BACKGROUND_MAX ? 1 : 0,
  );
  return { ...grid, ...means, colours, backdrop: measureBackdrop(colours, isBackground) };
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
