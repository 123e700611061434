/**
 * A photo in, a marketplace main image out: decode → matte → refine → decontaminate → compose → encode → inspect, and
 * for a test key a reduced and marked picture in place of the finished one. The stages in the middle are shared code (shared/imaging/stages): the playground's preview runs them in a browser.
 */
import type { Clock } from '../../shared/clock.ts';
import type { Failure } from '../../shared/errors.ts';
import { compose } from '../../shared/imaging/stages/compose.ts';
import { decontaminate } from '../../shared/imaging/stages/decontaminate.ts';
import { matte } from '../../shared/imaging/stages/matte.ts';
import { refine } from '../../shared/imaging/stages/refine.ts';
import { ok, type Result } from '../../shared/result.ts';
import { decode } from './decode.ts';
import { encode, encodePreview } from './encode.ts';
import { inspect } from './inspect.ts';
import type { Infer, MainImage, MainImageInput, Photo } from './main-image.ts';
import { photoSource } from './photo-source.ts';
import { testResult } from './test-result.ts';

export type { Infer, MainImage, MainImageInput } from './main-image.ts';

export type PipelineDeps = { readonly infer: Infer; readonly clock: Pick<Clock, 'nowMs'> };

/**
 * Runs the whole pipeline. Fails with the image codes of shared/errors.ts: file_empty, unsupported_media_type,
 * unreadable_image, image_too_large, image_too_small, no_product_found. Throws what `infer` throws.
 */
export const makeMainImage = async (input: MainImageInput, deps: PipelineDeps): Promise<Result<MainImage, Failure>> => {
  const { options } = input;
  const { timed, timedInfer, stagesMs } = stopwatch(deps);
  const photo = await timed('decode', () => decode(input.bytes));
  if (!photo.ok) return photo;
  const source = photoSource(photo.value);
  const found = await timed('matte', () => matte(source, timedInfer));
  if (!found.ok) return found;
  const refined = await timed('refine', () => refine(source, found.value, options));
  release(photo.value);
  if (!refined.ok) return refined;
  await timed('decontaminate', () => decontaminate(refined.value));
  const { cutout, upscaled } = refined.value;
  const picture = await timed('compose', () => compose(cutout, options));
  const finished = await timed('encode', () => encode(picture, options));
  const inspected = await timed('inspect', () => inspect(finished, cutout, options));
  const delivered = input.watermark
    ? await timed('mark', () => testResult(picture, inspected.productBox, input.bytes))
    : picture;
  const [clean, preview] = await timed('encode', () =>
    Promise.all([input.watermark ? encode(delivered, options) : finished, encodePreview(delivered)]),
  );
  return ok({
    clean: clean.bytes,
    cleanType: clean.type,
    preview: preview.bytes,
    previewType: preview.type,
    width: delivered.width,
    height: delivered.height,
    ...inspected,
    matteConfidence: found.value.confidence,
    upscaled,
    stagesMs,
  });
};

/**
 * Frees the photo's pixels now; the garbage collector would keep these tens of megabytes through all later stages.
 */
const release = ({ rgb, alpha }: Photo): void => {
  for (const { data } of alpha ? [rgb, alpha] : [rgb]) (data.buffer as ArrayBuffer).transfer(0);
};

/** Times stages by the given clock. `infer` is counted within `matte` and once more by itself. */
const stopwatch = ({ infer, clock }: PipelineDeps) => {
  const stagesMs: Record<string, number> = {};
  const timed = async <T>(stage: string, run: () => T | Promise<T>): Promise<T> => {
    const startedAtMs = clock.nowMs();
    try {
      return await run();
    } finally {
      stagesMs[stage] = (stagesMs[stage] ?? 0) + clock.nowMs() - startedAtMs;
    }
  };
  const timedInfer: Infer = (image) => timed('infer', () => infer(image));
  return { timed, timedInfer, stagesMs };
};
