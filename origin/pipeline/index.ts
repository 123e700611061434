/**
 * A photo in, a marketplace main image out: decode → matte → findings → refine → decontaminate → compose → encode → inspect, and
 * for a test key a reduced and marked picture in place of the finished one. The stages in the middle are shared code (shared/imaging/stages): the playground's preview runs them in a browser.
 */
import { type Failure, failure, isErrorCode } from '../../shared/errors.ts';
import type { Finding } from '../../shared/findings.ts';
import { isRefusedFor } from '../../shared/imaging/findings/finding.ts';
import { compose } from '../../shared/imaging/stages/compose.ts';
import { decontaminate } from '../../shared/imaging/stages/decontaminate.ts';
import { matte } from '../../shared/imaging/stages/matte.ts';
import { refine } from '../../shared/imaging/stages/refine.ts';
import type { ResolvedOptions } from '../../shared/options.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import { makeCutout } from './cutout/make-cutout.ts';
import { encode, encodePreview } from './encode.ts';
import { findInPhoto } from './findings/find-in-photo.ts';
import { rememberFrame } from './findings/gather.ts';
import { inspect } from './inspect.ts';
import type { MainImage, MainImageInput } from './main-image.ts';
import { photoSource, releasePhoto } from './photo-source.ts';
import { type PipelineDeps, stopwatch } from './stopwatch.ts';
import { testResult } from './test-result.ts';

export type { Infer, MainImage, MainImageInput } from './main-image.ts';
export type { PipelineDeps } from './stopwatch.ts';

/**
 * Runs the whole pipeline. Fails with the image codes of shared/errors.ts: file_empty, unsupported_media_type,
 * unreadable_image, undecodable_image, image_too_large, image_too_small, no_product_found; and where `on_finding` is `fail`
 * with the code of a finding that the marketplace refuses. Throws what `infer` throws.
 */
export const makeMainImage = async (input: MainImageInput, deps: PipelineDeps): Promise<Result<MainImage, Failure>> => {
  const { options } = input;
  if (options.cutout) return makeCutout(input, options.cutout, deps);
  const { timed, timedInfer, stagesMs } = stopwatch(deps);
  const photo = await timed('decode', () => deps.decode(input.bytes));
  if (!photo.ok) return photo;
  const { source, frame } = rememberFrame(photoSource(photo.value));
  const found = await timed('matte', () => matte(source, timedInfer));
  if (!found.ok) return found;
  const seen = { bytes: input.bytes, photo: photo.value, source, frame, matte: found.value };
  const findings = await timed('findings', () => findInPhoto(seen, options, deps.readText));
  const refusal = refusalOf(findings, options);
  if (refusal) return fail(refusal);
  const refined = await timed('refine', () => refine(source, found.value, options));
  releasePhoto(photo.value);
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
    findings,
    stagesMs,
  });
};

/** The first finding that ends the image, as its failure. */
const refusalOf = (findings: readonly Finding[], options: ResolvedOptions): Failure | undefined => {
  if (options.on_finding !== 'fail') return undefined;
  const refused = findings.find((finding) => isRefusedFor(finding, options.marketplace));
  return refused && isErrorCode(refused.code)
    ? failure(refused.code, `${refused.detail}. ${refused.remedy}`)
    : undefined;
};
