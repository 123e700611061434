/**
 * A check from its arrival to its answer: admit → fetch → reduce → find. Nothing is stored and nothing is charged, so
 * nothing is claimed either: a repeated check is checked again.
 */
import type { Clock } from '../../shared/clock.ts';
import { errors, type Failure, failure } from '../../shared/errors.ts';
import type { CheckFailure, CheckReport, CheckRequest } from '../../shared/findings.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import { originLimits } from '../limits.ts';
import type { CheckPool } from '../pool/check-pool.ts';
import type { FetchInput } from '../storage/fetch-input.ts';
import type { Admission } from './admission.ts';
import type { PixelBudget } from './pixel-budget.ts';

type CheckAnswer = { readonly check: CheckReport } | { readonly failed: CheckFailure };
export type CheckDeps = {
  readonly fetchInput: FetchInput;
  readonly pool: Pick<CheckPool, 'reduce' | 'find'>;
  readonly pixels: PixelBudget;
  /** Of checks alone; accounts take turns. */
  readonly admission: Pick<Admission, 'admit' | 'busy'>;
  /** Monotonic. */
  readonly clock: Pick<Clock, 'nowMs'>;
};
export type CheckService = {
  /** `callerSignal` is aborted when the caller hangs up. Fails with `origin_busy` or `not_ready`. */
  serve(check: CheckRequest, callerSignal: AbortSignal): Promise<Result<CheckAnswer, Failure>>;
  /** Takes no new check and drops the ones there are. */
  stop(): void;
};

const { notReadyRetrySeconds } = originLimits.jobs;
/** AbortSignal.timeout's largest delay. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** `unixClock` is the clock in which deadlines are given. */
export const createCheckService = (deps: CheckDeps, unixClock: Pick<Clock, 'nowMs'>): CheckService => {
  const stopping = new AbortController();
  return {
    stop: () => stopping.abort(),
    serve: async (check, callerSignal) => {
      const leftMs = check.deadline_at - unixClock.nowMs();
      if (leftMs <= 0) return ok(failedBy(failure('deadline_exceeded')));
      const deadline = AbortSignal.timeout(Math.min(leftMs, TIMER_MS_MAX));
      const signal = AbortSignal.any([callerSignal, stopping.signal, deadline]);
      const answer = await runCheck(deps, check, signal);
      if (stopping.signal.aborted)
        return fail(failure('not_ready', 'this node is shutting down', { retryAfterSeconds: notReadyRetrySeconds }));
      return deadline.aborted ? ok(failedBy(failure('deadline_exceeded'))) : answer;
    },
  };
};

const runCheck = async (
  deps: CheckDeps,
  check: CheckRequest,
  signal: AbortSignal,
): Promise<Result<CheckAnswer, Failure>> => {
  const arrivedAtMs = deps.clock.nowMs();
  const admitted = deps.admission.admit({ accountId: check.account_id, priority: 'interactive', signal });
  if (!admitted.ok) return admitted;
  const permit = await admitted.value;
  if (permit === 'withdrawn') return fail(failure('origin_busy', 'the check was dropped'));
  if (permit === 'displaced') return fail(deps.admission.busy());
  try {
    const report = await look(deps, check, signal);
    if (!report.ok) return ok(failedBy(report.failure));
    return ok({ check: { ...report.value, processing_ms: deps.clock.nowMs() - arrivedAtMs } });
  } finally {
    permit.release();
  }
};

const look = async ({ fetchInput, pool, pixels }: CheckDeps, check: CheckRequest, signal: AbortSignal) => {
  const input = await fetchInput(check.input_url, signal);
  if (!input.ok) return input;
  // No result is made, so it is the photo that weighs.
  const photo = { bytes: input.value, options: { ...check.options, layout: 'original' as const } };
  const reduced = await pixels.within(photo, () => pool.reduce(photo.bytes, signal), 'yielding');
  return reduced.ok ? pool.find(reduced.value, check.options, signal) : reduced;
};

const failedBy = ({ code, detail }: Failure): CheckAnswer => ({
  failed: { code, detail: detail.slice(0, 500), retryable: errors[code].retryable },
});
