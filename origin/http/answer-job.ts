/**
 * The answer to a job or a check as shared/job.ts has it: a status where the job is decided soon, else headers, a space now and
 * then, and the outcome when it is there.
 */
import type { Context } from 'hono';
import { stream } from 'hono/streaming';
import { systemClock, TIMED_OUT, withTimeout } from '../../shared/clock.ts';
import { type Failure, failure } from '../../shared/errors.ts';
import type { CheckResponse } from '../../shared/findings.ts';
import type { JobResponse, Outcome } from '../../shared/job.ts';
import { limits } from '../../shared/limits.ts';
import { ok, type Result } from '../../shared/result.ts';

export type AnswerCallbacks = {
  /** Answers a refusal that can still have a status of its own. */
  refuse(refusal: Failure): Response;
  /** A refusal after the headers were sent. */
  onLateRefusal(refusal: Failure): void;
  /** Anything that `decided` throws after the headers were sent. */
  onFault(error: unknown): void;
};

/** Throws what `decided` throws in time. */
export const answerJob = (
  c: Context,
  decided: Promise<Result<Outcome, Failure>>,
  callbacks: AnswerCallbacks,
): Promise<Response> =>
  answerDecided<JobResponse>(
    c,
    decided.then((result) => (result.ok ? ok({ outcome: result.value }) : result)),
    callbacks,
  );

type Refused = Extract<JobResponse & CheckResponse, { refused: unknown }>;

/** Throws what `decided` throws in time. */
export const answerDecided = async <T extends object>(
  c: Context,
  decided: Promise<Result<T, Failure>>,
  callbacks: AnswerCallbacks,
): Promise<Response> => {
  const inTime = await withTimeout(decided, limits.origin.headersAfterMs, systemClock);
  if (inTime !== TIMED_OUT) return inTime.ok ? c.json(inTime.value as object) : callbacks.refuse(inTime.failure);
  c.header('Content-Type', 'application/json');
  // A proxy that buffers the answer would make every slow job look like an unhealthy node.
  c.header('X-Accel-Buffering', 'no');
  return stream(c, async (body) => {
    const heartbeat = setInterval(() => void body.write(' '), limits.origin.heartbeatMs);
    try {
      await body.write(' ');
      await body.write(JSON.stringify(await lateResponse(decided, callbacks)));
    } finally {
      clearInterval(heartbeat);
    }
  });
};

const lateResponse = async <T extends object>(
  decided: Promise<Result<T, Failure>>,
  { onLateRefusal, onFault }: AnswerCallbacks,
): Promise<T | Refused> => {
  try {
    const result = await decided;
    if (result.ok) return result.value;
    onLateRefusal(result.failure);
    return refusalOf(result.failure);
  } catch (error) {
    onFault(error);
    return refusalOf(failure('internal_error'));
  }
};

const refusalOf = ({ code, detail, retryAfterSeconds }: Failure): Refused => ({
  refused: { code, detail, ...(retryAfterSeconds === undefined ? {} : { retry_after_seconds: retryAfterSeconds }) },
});
