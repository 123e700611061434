/**
 * Work that is free, from its arrival to its answer: admit → run. Nothing is stored and nothing is charged, so nothing is
 * claimed either: what is repeated is done again.
 */
import type { Clock } from '../../shared/clock.ts';
import { errors, type Failure, failure } from '../../shared/errors.ts';
import type { CheckFailure } from '../../shared/findings.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import { originLimits } from '../limits.ts';
import type { Admission } from './admission.ts';

/** `account_id`: whose turn it takes. */
type FreeRequest = { readonly account_id: string; readonly deadline_at: number };
export type FreeWorkDeps = {
  /** Of free work alone; accounts take turns. */
  readonly admission: Pick<Admission, 'admit' | 'busy'>;
  /** Monotonic. */
  readonly clock: Pick<Clock, 'nowMs'>;
};
export type FreeService<Request, Answer> = {
  /** `callerSignal` is aborted when the caller hangs up. Fails with `origin_busy` or `not_ready`. */
  serve(request: Request, callerSignal: AbortSignal): Promise<Result<Answer | FailedAnswer, Failure>>;
  /** Takes nothing new and drops what there is. */
  stop(): void;
};
type FailedAnswer = { readonly failed: CheckFailure };
/** Its answer is told how long it took, ms. */
type Run<Request, Answer> = (
  request: Request,
  signal: AbortSignal,
) => Promise<Result<(processingMs: number) => Answer, Failure>>;

const { notReadyRetrySeconds } = originLimits.jobs;
/** AbortSignal.timeout's largest delay. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** `unixClock` is the clock in which deadlines are given. */
export const createFreeService = <Request extends FreeRequest, Answer>(
  deps: FreeWorkDeps,
  unixClock: Pick<Clock, 'nowMs'>,
  run: Run<Request, Answer>,
): FreeService<Request, Answer> => {
  const stopping = new AbortController();
  return {
    stop: () => stopping.abort(),
    serve: async (request, callerSignal) => {
      const leftMs = request.deadline_at - unixClock.nowMs();
      if (leftMs <= 0) return ok(failedBy(failure('deadline_exceeded')));
      const deadline = AbortSignal.timeout(Math.min(leftMs, TIMER_MS_MAX));
      const signal = AbortSignal.any([callerSignal, stopping.signal, deadline]);
      const answer = await runAdmitted(deps, request, signal, run);
      if (stopping.signal.aborted)
        return fail(failure('not_ready', 'this node is shutting down', { retryAfterSeconds: notReadyRetrySeconds }));
      return deadline.aborted ? ok(failedBy(failure('deadline_exceeded'))) : answer;
    },
  };
};

const runAdmitted = async <Request extends FreeRequest, Answer>(
  { admission, clock }: FreeWorkDeps,
  request: Request,
  signal: AbortSignal,
  run: Run<Request, Answer>,
): Promise<Result<Answer | FailedAnswer, Failure>> => {
  const arrivedAtMs = clock.nowMs();
  const admitted = admission.admit({ accountId: request.account_id, priority: 'interactive', signal });
  if (!admitted.ok) return admitted;
  const permit = await admitted.value;
  if (permit === 'withdrawn') return fail(failure('origin_busy', 'the request was dropped'));
  if (permit === 'displaced') return fail(admission.busy());
  try {
    const done = await run(request, signal);
    return ok(done.ok ? done.value(clock.nowMs() - arrivedAtMs) : failedBy(done.failure));
  } finally {
    permit.release();
  }
};

const failedBy = ({ code, detail }: Failure): FailedAnswer => ({
  failed: { code, detail: detail.slice(0, 500), retryable: errors[code].retryable },
});
