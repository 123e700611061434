/** The work itself: input from storage → pipeline → outputs to storage. */
import { type Failure, failure } from '../../shared/errors.ts';
import type { CompletedOutcome, JobRequest } from '../../shared/job.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import type { RunPipeline, StopSignals } from '../pool/pool.ts';
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
  /** Monotonic, ms. */
  readonly now: () => number;
};

/** `arrivedAt` by `now`. Fails with an image code; whether it may succeed later is in the table of errors. */
export const performJob = async (
  deps: PerformDeps,
  job: JobRequest,
  signals: StopSignals,
  arrivedAt: number,
): Promise<Result<CompletedOutcome, Failure>> => {
  const fetchedAt = deps.now();
  const input = await deps.fetchInput(job.input_url, signals.beforeModel);
  if (!input.ok) return input;
  const startedAt = deps.now();
  const hero = await deps.pixels.within(input.value, () =>
    deps.runPipeline({ bytes: input.value, options: job.options, watermark: job.watermark }, job.priority, signals),
  );
  if (!hero.ok) return hero;
  const storedFrom = deps.now();
  // A node that may have lost its job must not write over what the next one stores.
  if (signals.throughout.aborted)
    return fail(failure('origin_busy', 'the job was stopped before its result was stored'));
  const { clean, cleanType, preview, previewType, stagesMs } = hero.value;
  const stored = await Promise.all([
    deps.putOutput(job.outputs.clean, clean, cleanType, signals.throughout),
    deps.putOutput(job.outputs.preview, preview, previewType, signals.throughout),
  ]);
  const lost = stored.find((result) => !result.ok);
  if (lost && !lost.ok) return lost;
  const endedAt = deps.now();
  return ok({
    status: 'completed',
    width: hero.value.width,
    height: hero.value.height,
    bytes: clean.byteLength,
    sha256: hero.value.sha256,
    preview_bytes: preview.byteLength,
    product_box: hero.value.productBox,
    matte_confidence: hero.value.matteConfidence,
    upscaled: hero.value.upscaled,
    compliance: hero.value.compliance,
    amazon_compliant: hero.value.amazonCompliant,
    processing_ms: endedAt - arrivedAt,
    model: deps.model,
    provider: deps.provider,
    stages_ms: { queue: fetchedAt - arrivedAt, fetch: startedAt - fetchedAt, ...stagesMs, store: endedAt - storedFrom },
  });
};
