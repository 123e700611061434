/**
 * A photo in, a marketplace main image out: decode → matte → refine → decontaminate → compose → encode → inspect, from
 * refine on once for each marketplace asked for, findings about the photo beside them, and for a test key a reduced and
 * marked picture in place of the finished one. The stages in the middle are shared code (shared/imaging/stages): the
 * playground's preview runs them in a browser.
 */
import pMap from 'p-map';
import { type Failure, failure, isErrorCode } from '../../shared/errors.ts';
import type { Finding } from '../../shared/findings.ts';
import { isRefusedFor } from '../../shared/imaging/findings/finding.ts';
import { matte } from '../../shared/imaging/stages/matte.ts';
import { chooseRegion, matteInPhoto } from '../../shared/imaging/stages/region.ts';
import type { Refined } from '../../shared/imaging/stages/types.ts';
import { outputsOf, type ResolvedOptions, type ResolvedOutput } from '../../shared/options.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import { callerMatte } from './caller-matte.ts';
import { makeCutout } from './cutout/make-cutout.ts';
import { findInPhoto } from './findings/find-in-photo.ts';
import { rememberFrame } from './findings/gather.ts';
import type { Encoded, MadeFile, MainImage, MainImageInput } from './main-image.ts';
import { type MadeOutput, makeOutput, refinements } from './make-output.ts';
import { photoSource, releasePhoto } from './photo-source.ts';
import { type PipelineDeps, stopwatch, type Timed } from './stopwatch.ts';

export type { Infer, MainImage, MainImageInput } from './main-image.ts';
export type { PipelineDeps } from './stopwatch.ts';

const OUTPUTS_AT_ONCE = 2;

/**
 * Runs the whole pipeline. Fails with the image codes of shared/errors.ts: file_empty, unsupported_media_type,
 * unreadable_image, undecodable_image, image_too_large, image_too_small, no_product_found, output_too_large; with
 * invalid_options where the photo does not hold the region; with invalid_matte where the caller's does not fit; and where `on_finding` is `fail` with the code of a finding
 * that the marketplace, or one of several, refuses. Throws what `infer` throws.
 */
export const makeMainImage = async (input: MainImageInput, deps: PipelineDeps): Promise<Result<MainImage, Failure>> => {
  const { options } = input;
  if (options.cutout) return makeCutout(input, options.cutout, deps);
  const { timed, timedInfer, stagesMs } = stopwatch(deps);
  const photo = await timed('decode', () => deps.decode(input.bytes));
  if (!photo.ok) return photo;
  const whole = photoSource(photo.value);
  const chosen = chooseRegion(whole, options.region);
  if (!chosen.ok) return chosen;
  const { at, within } = chosen.value;
  const { source, frame } = rememberFrame(chosen.value.source);
  const found = await timed('matte', () =>
    input.matte ? callerMatte(input.matte, whole, deps.decodeMatte) : matte(source, timedInfer, within),
  );
  if (!found.ok) return found;
  const seen = { bytes: input.bytes, photo: photo.value, source, at, frame, matte: found.value };
  const finding = timed('findings', () => findInPhoto(seen, options, deps.detectors ?? {}));
  if (options.on_finding === 'fail') {
    // A refusal spares the work on the outputs.
    const refusal = refusalOf(await finding, options);
    if (refusal) return fail(refusal);
  }
  // The detectors run on the device while the outputs are worked on here.
  const release = (): void => releasePhoto(photo.value);
  const refined = (): void => void finding.then(release, release);
  const outputs = makeOutputs(input, refinements(whole, matteInPhoto(found.value, at), timed), timed, refined);
  const [findings, made] = await Promise.all([finding, outputs]);
  if (!made.ok) return made;
  const { first, others, preview } = made.value;
  const { bytes: clean, type: cleanType, ...file } = first.file;
  return ok({
    clean,
    cleanType,
    preview: preview.bytes,
    previewType: preview.type,
    ...file,
    amazonCompliant: first.amazonCompliant,
    others,
    matteConfidence: found.value.confidence,
    findings,
    stagesMs,
  });
};

type Made = { readonly first: MadeOutput; readonly others: readonly MadeFile[]; readonly preview: Encoded };

/**
 * Every file of the image, or the failure of the first that cannot be made. Two are worked on at a time: while one waits
 * for the image library, which has threads of its own, the other computes. `refined`: the photo is needed no more.
 */
const makeOutputs = async (
  input: MainImageInput,
  refinedFor: ReturnType<typeof refinements>,
  timed: Timed,
  refined: () => void,
): Promise<Result<Made, Failure>> => {
  const outputs = outputsOf(input.options);
  const products = allOf(await pMap(outputs, refinedFor, { concurrency: OUTPUTS_AT_ONCE }));
  refined();
  if (!products.ok) return products;
  const make = (output: ResolvedOutput, i: number): Promise<Result<MadeOutput, Failure>> =>
    makeOutput(products.value[i] as Refined, output, { timed, input, wantsPreview: i === 0 });
  const made = allOf(await pMap(outputs, make, { concurrency: OUTPUTS_AT_ONCE }));
  if (!made.ok) return made;
  const [first, ...others] = made.value;
  if (!first?.preview) throw new Error('an image without a file');
  return ok({ first, others: others.map(({ file }) => file), preview: first.preview });
};

/** All values, or the first failure. */
const allOf = <T>(results: readonly Result<T, Failure>[]): Result<T[], Failure> => {
  const values: T[] = [];
  for (const result of results) {
    if (!result.ok) return result;
    values.push(result.value);
  }
  return ok(values);
};

/** The first finding that ends the image, as its failure. */
const refusalOf = (findings: readonly Finding[], options: ResolvedOptions): Failure | undefined => {
  const refused = findings.find((finding) =>
    outputsOf(options).some(({ marketplace }) => isRefusedFor(finding, marketplace)),
  );
  return refused && isErrorCode(refused.code)
    ? failure(refused.code, `${refused.detail}. ${refused.remedy}`)
    : undefined;
};
