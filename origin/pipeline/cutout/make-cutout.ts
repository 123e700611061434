/**
 * A photo in, its product in the photo's own frame out: the same stages as a main image (pipeline/index.ts), looking at
 * a region of the photo, and with framing, background and file of their own.
 */
import type { CutoutOptions } from '../../../shared/cutout-options.ts';
import type { Failure } from '../../../shared/errors.ts';
import { scaleBox, snapOutward } from '../../../shared/imaging/box.ts';
import type { Box, Size } from '../../../shared/imaging/raster.ts';
import { decontaminate } from '../../../shared/imaging/stages/decontaminate.ts';
import { matte } from '../../../shared/imaging/stages/matte.ts';
import { partOfPhoto } from '../../../shared/imaging/stages/part-of-photo.ts';
import type { Refined } from '../../../shared/imaging/stages/types.ts';
import { ok, type Result } from '../../../shared/result.ts';
import { encodePreview } from '../encode.ts';
import type { Decode, MainImage, MainImageInput } from '../main-image.ts';
import { photoSource, releasePhoto } from '../photo-source.ts';
import { type PipelineDeps, stopwatch } from '../stopwatch.ts';
import { testResult } from '../test-result.ts';
import { readBackground } from './background.ts';
import { composeCutout } from './compose-cutout.ts';
import { encodeCutout } from './encode-cutout.ts';
import { regionOf } from './frame.ts';
import { inspectCutout } from './inspect-cutout.ts';
import { refineCutout } from './refine-cutout.ts';
import { solidInside } from './solid-inside.ts';

/** Fails as makeMainImage does, and with invalid_options where the photo does not hold the region of interest. */
export const makeCutout = async (
  input: MainImageInput,
  wanted: CutoutOptions,
  deps: PipelineDeps,
): Promise<Result<MainImage, Failure>> => {
  const watch = stopwatch(deps);
  const found = await findProduct(() => deps.decode(input.bytes), wanted, watch);
  return found.ok ? finish(input, wanted, found.value, watch, deps.decode) : found;
};

type Watch = ReturnType<typeof stopwatch>;
type Found = { readonly refined: Refined; readonly confidence: number };

const findProduct = async (
  decodePhoto: () => ReturnType<Decode>,
  wanted: CutoutOptions,
  { timed, timedInfer }: Watch,
): Promise<Result<Found, Failure>> => {
  const photo = await timed('decode', decodePhoto);
  if (!photo.ok) return photo;
  const whole = photoSource(photo.value);
  const at = regionOf(wanted.roi, whole.size);
  if (!at.ok) return at;
  const source = partOfPhoto(whole, at.value);
  const found = await timed('matte', () => matte(source, timedInfer));
  if (!found.ok) return found;
  const region = { source, at: at.value, photo: whole.size };
  const refined = await timed('refine', () => refineCutout(region, found.value, wanted));
  releasePhoto(photo.value);
  if (!refined.ok) return refined;
  if (!wanted.semitransparency) solidInside(refined.value.cutout.alpha);
  await timed('decontaminate', () => decontaminate(refined.value));
  return ok({ refined: refined.value, confidence: found.value.confidence });
};

const finish = async (
  input: MainImageInput,
  wanted: CutoutOptions,
  { refined: { cutout, upscaled }, confidence }: Found,
  { timed, stagesMs }: Watch,
  decode: Decode,
): Promise<Result<MainImage, Failure>> => {
  const { options, watermark, bytes } = input;
  const background = await timed('compose', () => readBackground(input.background, cutout.canvas, decode));
  if (!background.ok) return background;
  const picture = await timed('compose', () =>
    composeCutout(cutout, { ...wanted, shadow: options.shadow }, background.value),
  );
  const finished = await timed('encode', () => encodeCutout(picture, options, wanted));
  if (!finished.ok) return finished;
  const inspected = await timed('inspect', () => inspectCutout(finished.value, picture, cutout, options, wanted));
  const delivered = watermark ? await timed('mark', () => testResult(picture, inspected.productBox, bytes)) : picture;
  const [clean, preview] = await timed('encode', () =>
    Promise.all([watermark ? encodeCutout(delivered, options, wanted) : finished, encodePreview(delivered)]),
  );
  if (!clean.ok) return clean;
  return ok({
    clean: clean.value.bytes,
    cleanType: clean.value.type,
    preview: preview.bytes,
    previewType: preview.type,
    width: delivered.width,
    height: delivered.height,
    ...inspected,
    // It is told with the file, so it is that file's also where a test key's is smaller.
    productBox: inDelivered(inspected.productBox, picture, delivered),
    matteConfidence: confidence,
    upscaled,
    others: [],
    findings: [],
    stagesMs,
  });
};

const inDelivered = (box: Box, picture: Size, delivered: Size): Box =>
  delivered.width === picture.width
    ? box
    : snapOutward(scaleBox(box, delivered.width / picture.width, delivered.height / picture.height), delivered);
