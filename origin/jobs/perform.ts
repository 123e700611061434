/** Step 6, the work itself: input from storage → pipeline → outputs to storage. */
import type { Clock } from '../../shared/clock.ts';
import { type Failure, failure } from '../../shared/errors.ts';
import type { CompletedOutcome, JobRequest, OutputOutcome } from '../../shared/job.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import type { MadeFile } from '../pipeline/main-image.ts';
import type { Digests, FinishedImage, RunPipeline, StopSignals } from '../pool/pool.ts';
import type { FetchInput } from '../storage/fetch-input.ts';
import type { PutOutput } from '../storage/put-output.ts';
import type { PixelBudget } from './pixel-budget.ts';

export type PerformDeps = {
  readonly fetchInput: FetchInput;
  readonly putOutput: PutOutput;
  readonly runPipeline: RunPipeline;
  readonly pixels: PixelBudget;
  readonly model: string;
  readonly provider: string;
  /** Monotonic. */
  readonly clock: Pick<Clock, 'nowMs'>;
};

/**
 * `arrivedAtMs` by `deps.clock`. Fails with an image code; whether it may succeed later is in the table of errors.
 */
export const performJob = async (
  deps: PerformDeps,
  job: JobRequest,
  signals: StopSignals,
  arrivedAtMs: number,
): Promise<Result<CompletedOutcome, Failure>> => {
  const { nowMs } = deps.clock;
  // An edge of the release before hands on options that it does not know, without the matte that they speak of.
  if (job.options.matte && job.matte_url === undefined)
    return fail(failure('processing_failed', 'the matte was not sent along'));
  const fetchedFromMs = nowMs();
  const input = await deps.fetchInput(job.input_url, signals.beforeModel);
  if (!input.ok) return input;
  const background = await fetchFurther(deps, job.background_url, signals);
  if (!background.ok) return background;
  const matte = await fetchFurther(deps, job.matte_url, signals);
  if (!matte.ok) return matte;
  const pipelineFromMs = nowMs();
  const photo = {
    bytes: input.value,
    options: job.options,
    background: background.value,
    matte: matte.value,
    watermark: job.watermark,
  };
  const image = await deps.pixels.within(photo, () => deps.runPipeline(photo, job.priority, signals));
  if (!image.ok) return image;
  const storedFromMs = nowMs();
  const stored = await storeOutputs(deps.putOutput, job, image.value, signals.throughout);
  if (!stored.ok) return stored;
  const endedAtMs = nowMs();
  return ok({
    ...described(job, image.value),
    processing_ms: endedAtMs - arrivedAtMs,
    model: deps.model,
    provider: deps.provider,
    stages_ms: {
      queue: fetchedFromMs - arrivedAtMs,
      fetch: pipelineFromMs - fetchedFromMs,
      ...image.value.stagesMs,
      store: endedAtMs - storedFromMs,
    },
  });
};

/** A background, or a matte, where the job has one. */
const fetchFurther = async (
  { fetchInput }: PerformDeps,
  url: string | undefined,
  signals: StopSignals,
): Promise<Result<Uint8Array | undefined, Failure>> =>
  url === undefined ? ok(undefined) : fetchInput(url, signals.beforeModel);

const storeOutputs = async (
  putOutput: PutOutput,
  { outputs }: JobRequest,
  { clean, cleanType, preview, previewType, others }: FinishedImage,
  signal: AbortSignal,
): Promise<Result<void, Failure>> => {
  // A node that may have lost its job must not write over what the next one stores.
  if (signal.aborted) return fail(failure('origin_busy', 'the job was stopped before its result was stored'));
  const stored = await Promise.all([
    putOutput(outputs.clean, clean, cleanType, signal),
    putOutput(outputs.preview, preview, previewType, signal),
    ...others.map(({ bytes, type }, i) => putOutput(outputs.others?.[i] ?? '', bytes, type, signal)),
  ]);
  return stored.find((put) => !put.ok) ?? ok(undefined);
};

const described = (job: JobRequest, image: FinishedImage) => ({
  status: 'completed' as const,
  ...describedFile({ ...image, bytes: image.clean }, image.digests),
  preview_bytes: image.preview.byteLength,
  preview_md5: image.previewMd5,
  matte_confidence: image.matteConfidence,
  amazon_compliant: image.amazonCompliant,
  findings: [...image.findings],
  ...(job.options.others
    ? { others: image.others.map((file, i) => describedFile(file, image.othersDigests[i] as Digests)) }
    : {}),
});

const describedFile = (file: Omit<MadeFile, 'type'>, digests: Digests): OutputOutcome => ({
  width: file.width,
  height: file.height,
  bytes: file.bytes.byteLength,
  ...digests,
  product_box: file.productBox,
  upscaled: file.upscaled,
  compliance: file.compliance,
});
