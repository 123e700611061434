/** Stage 3: the product at its final scale, its edge drawn by the photo's own colours. */
import sharp from 'sharp';
import { type Failure, failure } from '../../shared/errors.ts';
import { boxOf, longerSide } from '../../shared/imaging/box.ts';
import { type LocalColours, localColours } from '../../shared/imaging/local-colours.ts';
import { refineEdges } from '../../shared/imaging/edges.ts';
import { type Framing, boxInPhoto, centredAt, heroFraming, originalFraming, targetSide, windowInMatte } from '../../shared/imaging/geometry.ts';
import type { Box, Gray, Rgb } from '../../shared/imaging/raster.ts';
import { resampleGray } from '../../shared/imaging/resample.ts';
import type { ResolvedOptions } from '../../shared/options.ts';
import { type Result, fail, ok } from '../../shared/result.ts';
import type { Matte, Photo, Refined } from './hero.ts';

/** Where the product begins, to find its box on the coarse matte. */
const BOX_THRESHOLD = 96;
/** The box of the refined product may miss the wanted side by this share of the canvas; the rules allow 0.005. */
const FILL_MISS_MAX = 0.0015;
const ATTEMPTS_MAX = 3;
/** Neighbourhood of an edge: 6 samples of a matte of 1024. */
const EDGE_SIGMA_SAMPLES = 6;

type Worked = { readonly rgb: Rgb; readonly alpha: Gray; readonly colours: LocalColours | undefined; readonly box: Box };

/** Fails with no_product_found where nothing is left after refinement. */
export const refine = async (photo: Photo, matte: Matte, options: ResolvedOptions): Promise<Result<Refined, Failure>> => {
  const found = boxOf(matte.plane, BOX_THRESHOLD);
  if (!found) return fail(failure('no_product_found'));
  const product = boxInPhoto(found, matte.region, matte.plane);
  if (options.layout === 'original') {
    const framing = originalFraming(product, photo.rgb);
    const worked = await workOn(photo, matte, framing);
    if (!worked) return fail(failure('no_product_found'));
    const canvas = { width: photo.rgb.width, height: photo.rgb.height };
    return ok({ cutout: { ...worked, at: { x: framing.window.x, y: framing.window.y }, canvas }, colours: worked.colours, upscaled: false });
  }
  return refineForCanvas(photo, matte, product, options);
};

/** The coarse box tells the scale only nearly, so the refined box is measured and the scale corrected until it fits. */
const refineForCanvas = async (photo: Photo, matte: Matte, product: Box, { canvas, fill }: ResolvedOptions): Promise<Result<Refined, Failure>> => {
  const target = targetSide(canvas, fill);
  let aim = target;
  for (let attempt = 1; ; attempt++) {
    const framing = heroFraming(product, photo.rgb, aim);
    const worked = await workOn(photo, matte, framing);
    if (!worked) return fail(failure('no_product_found'));
    const side = longerSide(worked.box);
    if (Math.abs(side - target) <= Math.max(0.5, FILL_MISS_MAX * canvas) || attempt === ATTEMPTS_MAX) {
      const upscaled = framing.size.width > framing.window.width;
      return ok({ cutout: { ...worked, at: centredAt(worked.box, canvas), canvas: { width: canvas, height: canvas } }, colours: worked.colours, upscaled });
    }
    aim *= target / side;
  }
};

/** One part of the photo at one scale. Undefined where no product is left in it. */
const workOn = async (photo: Photo, matte: Matte, framing: Framing): Promise<Worked | undefined> => {
  const { window, size } = framing;
  if (photo.alpha) return workOnCutout(photo.rgb, photo.alpha, framing);
  const rgb = await resizedRgb(photo.rgb, framing);
  const alpha = resampleGray(matte.plane, windowInMatte(window, matte.region, matte.plane), size);
  const samplePx = ((matte.region.width / matte.plane.width) * size.width) / window.width;
  const colours = localColours(rgb, alpha, EDGE_SIGMA_SAMPLES * samplePx);
  refineEdges(rgb, alpha, colours);
  const box = boxOf(alpha, 1);
  return box && { rgb, alpha, colours, box };
};

const resizedRgb = async (rgb: Rgb, { window, size }: Framing): Promise<Rgb> => {
  const { data } = await sharp(rgb.data, { raw: { width: rgb.width, height: rgb.height, channels: 3 } })
    .extract({ left: window.x, top: window.y, width: window.width, height: window.height })
    .resize({ ...size, fit: 'fill', kernel: 'lanczos3' })
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, ...size };
};

/** A cut-out's colours and alpha are resized together, so that the colours under its transparent pixels stay out. */
const workOnCutout = async (rgb: Rgb, alpha: Gray, { window, size }: Framing): Promise<Worked | undefined> => {
  const part = new Uint8Array(window.width * window.height * 4);
  for (let y = 0, to = 0; y < window.height; y++) {
    for (let x = 0, from = (y + window.y) * rgb.width + window.x; x < window.width; x++, from++, to += 4) {
      part[to] = rgb.data[from * 3]!;
      part[to + 1] = rgb.data[from * 3 + 1]!;
      part[to + 2] = rgb.data[from * 3 + 2]!;
      part[to + 3] = alpha.data[from]!;
    }
  }
  const rgba = await sharp(part, { raw: { width: window.width, height: window.height, channels: 4 } }).resize({ ...size, fit: 'fill', kernel: 'lanczos3' }).raw().toBuffer();
  const pixels = size.width * size.height;
  const colour = new Uint8Array(pixels * 3);
  const cover = new Uint8Array(pixels);
  for (let i = 0; i < pixels; i++) {
    colour[i * 3] = rgba[i * 4]!;
    colour[i * 3 + 1] = rgba[i * 4 + 1]!;
    colour[i * 3 + 2] = rgba[i * 4 + 2]!;
    cover[i] = rgba[i * 4 + 3]!;
  }
  const result = { data: cover, ...size };
  const box = boxOf(result, 1);
  return box && { rgb: { data: colour, ...size }, alpha: result, colours: undefined, box };
};
