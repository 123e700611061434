import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { answerJob } from '../../../origin/http/answer-job.ts';
import { type Failure, failure } from '../../../shared/errors.ts';
import { jobResponseSchema, type Outcome } from '../../../shared/job.ts';
import { limits } from '../../../shared/limits.ts';
import { fail, ok, type Result } from '../../../shared/result.ts';

const outcome: Outcome = { status: 'failed', code: 'no_product_found', detail: 'nothing there', retryable: false };
const LATE_MS = limits.origin.headersAfterMs + 200;
const later = <T>(value: () => T): Promise<T> =>
  new Promise((resolve, reject) =>
    setTimeout(() => {
      try {
        resolve(value());
      } catch (error) {
        reject(error as Error);
      }
    }, LATE_MS),
  );

const ask = async (decided: () => Promise<Result<Outcome, Failure>>) => {
  const faults: unknown[] = [];
  const lateRefusals: Failure[] = [];
  const app = new Hono();
  app.get('/', (c) =>
    answerJob(c, decided(), {
      refuse: (refusal) => c.text(refusal.code, 503),
      onLateRefusal: (refusal) => lateRefusals.push(refusal),
      onFault: (error) => faults.push(error),
    }),
  );
  app.onError((_error, c) => c.text('thrown', 500));
  const response = await app.request('/');
  return { status: response.status, text: await response.text(), faults, lateRefusals };
};

describe('a job that is decided soon', () => {
  it('is answered with plain JSON', async () => {
    expect(await ask(() => Promise.resolve(ok(outcome)))).toEqual({
      status: 200,
      text: JSON.stringify({ outcome }),
      faults: [],
      lateRefusals: [],
    });
  });
  it('is refused with a status of its own', async () => {
    expect(await ask(() => Promise.resolve(fail(failure('origin_busy'))))).toMatchObject({
      status: 503,
      text: 'origin_busy',
    });
    expect(await ask(() => Promise.reject(new Error('bug')))).toMatchObject({ status: 500, text: 'thrown' });
  });
});

describe.concurrent('a job that is decided late', () => {
  it('is answered after a space', async () => {
    const { status, text } = await ask(() => later(() => ok(outcome)));
    expect([status, text]).toEqual([200, ` ${JSON.stringify({ outcome })}`]);
  });
  it('names its refusal and when to retry, and keeps the cause for the log', async () => {
    const cause = new Error('no connection');
    const { status, text, lateRefusals } = await ask(() =>
      later(() => fail(failure('not_ready', 'this node is shutting down', { retryAfterSeconds: 2, cause }))),
    );
    expect([status, jobResponseSchema.parse(JSON.parse(text))]).toEqual([
      200,
      { refused: { code: 'not_ready', detail: 'this node is shutting down', retry_after_seconds: 2 } },
    ]);
    expect(text).not.toContain('connection');
    expect(lateRefusals).toMatchObject([{ cause }]);
  });
  it('that fails unexpectedly tells the caller no more than that', async () => {
    const { text, faults } = await ask(() =>
      later(() => {
        throw new Error('bug');
      }),
    );
    expect(JSON.parse(text)).toMatchObject({ refused: { code: 'internal_error' } });
    expect(text).not.toContain('bug');
    expect(faults).toHaveLength(1);
  });
});
