/**
 * The answer to a job as shared/job.ts has it: a status where it is decided soon, else headers, a space now and then,
 * and the outcome when it is there.
 */
import type { Context } from 'hono';
import { stream } from 'hono/streaming';
import { systemClock, TIMED_OUT, withTimeout } from '../../shared/clock.ts';
import { type Failure, failure } from '../../shared/errors.ts';
import type { JobResponse, Outcome } from '../../shared/job.ts';
import { limits } from '../../shared/limits.ts';
import type { Result } from '../../shared/result.ts';

type Told = {
  /** A refusal that still has a status. */
  refuse(cause: Failure): Response;
  /** Anything that `decided` throws after the headers have left. */
  onFault(error: unknown): void;
};

/** Throws what `decided` throws in time. */
export const answerJob = async (
  c: Context,
  decided: Promise<Result<Outcome, Failure>>,
  told: Told,
): Promise<Response> => {
  const soon = await withTimeout(decided, limits.origin.headersAfterMs, systemClock);
  if (soon !== TIMED_OUT)
    return soon.ok ? c.json({ outcome: soon.value } satisfies JobResponse) : told.refuse(soon.failure);
  c.header('Content-Type', 'application/json');
  // A proxy that collects the answer would make every slow job look like a lost node.
  c.header('X-Accel-Buffering', 'no');
  return stream(c, async (body) => {
    const beat = setInterval(() => void body.write(' '), limits.origin.heartbeatMs);
    try {
      await body.write(' ');
      await body.write(JSON.stringify(await late(decided, told)));
    } finally {
      clearInterval(beat);
    }
  });
};

const late = async (decided: Promise<Result<Outcome, Failure>>, { onFault }: Told): Promise<JobResponse> => {
  try {
    const result = await decided;
    return result.ok ? { outcome: result.value } : refused(result.failure);
  } catch (error) {
    onFault(error);
    return refused(failure('internal_error'));
  }
};

const refused = ({ code, detail, retryAfterSeconds }: Failure): JobResponse => ({
  refused: { code, detail, ...(retryAfterSeconds === undefined ? {} : { retry_after_seconds: retryAfterSeconds }) },
});
