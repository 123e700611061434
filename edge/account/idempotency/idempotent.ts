/**
 * One request under an Idempotency-Key: run once, answered as often as asked. The record names the batch before it is
 * opened, so that a retry after a
 * crash finds what the first request did instead of charging for it again.
 */
import { type Failure, failure } from '../../../shared/errors.ts';
import { limits } from '../../../shared/limits.ts';
import type { Result } from '../../../shared/result.ts';
import type { Snapshot } from '../../batch/port.ts';
import type { Services } from '../../ports.ts';
import { type Answer, failed, isFinal } from '../../responses/answer.ts';
import type { Caller } from '../authenticate.ts';
import type { StoredAnswer } from './record.ts';

/** A request that can be run, or only read to compare it. `F` is what reading brings. */
export type Idempotent<F> = {
  /** Reads the body without keeping anything of it. */
  readonly read: () => Promise<Result<F & { readonly fingerprint: string }, Failure>>;
  /** `stillOurs` prolongs the lease; false means that a later request took over and this one must stop. */
  readonly run: (
    batchId: string,
    stillOurs: () => Promise<boolean>,
  ) => Promise<{ readonly answer: Answer; readonly fingerprint?: string }>;
  /** Answers from a batch that an earlier, broken-off request opened. */
  readonly resume: (form: F, batch: Snapshot) => Promise<Answer>;
};

export type KeyedRequest = {
  readonly requestId: string;
  readonly batchId: string;
  readonly idempotencyKey: string | null;
};

export const idempotent = async <F>(
  services: Services,
  caller: Caller,
  request: KeyedRequest,
  steps: Idempotent<F>,
): Promise<Answer> => {
  const { batchId, idempotencyKey } = request;
  if (idempotencyKey === null) return (await steps.run(batchId, async () => true)).answer;
  if (idempotencyKey.length === 0 || idempotencyKey.length > limits.idempotency.keyCharsMax)
    return failed(failure('idempotency_key_invalid'));
  const begun = await caller.ledger.beginRequest({ keyId: caller.keyId, idempotencyKey, batchId });
  if (begun.result === 'in_flight') return inFlight(begun.retryAfterMs);
  if (begun.result === 'done') return replay(steps, begun.answer);
  const record = {
    keyId: caller.keyId,
    idempotencyKey,
    batchId: begun.result === 'taken_over' ? begun.batchId : batchId,
  };
  const earlier = begun.result === 'taken_over' ? await services.sagaOf(begun.batchId).snapshot() : undefined;
  const work = earlier
    ? takeOver(services, steps, earlier)
    : steps.run(record.batchId, () => caller.ledger.renewRequest(record));
  const done = await work.catch(async (error: unknown) => {
    await caller.ledger.yieldRequest(record);
    throw error;
  });
  return finishing(caller, record, request, done, begun.result === 'fresh');
};

type Done = { readonly answer: Answer; readonly fingerprint?: string };
type Record = { readonly keyId: string; readonly idempotencyKey: string; readonly batchId: string };

/**
 * Keeps a final answer. Anything else frees the key for another try, unless the batch of an earlier request may still
 * live under it.
 */
const finishing = async (
  caller: Caller,
  record: Record,
  { requestId }: KeyedRequest,
  { answer, fingerprint }: Done,
  fresh: boolean,
): Promise<Answer> => {
  const text = JSON.stringify(answer);
  if (fingerprint !== undefined && isFinal(answer) && text.length <= limits.idempotency.answerBytesMax) {
    await caller.ledger.finishRequest({ ...record, answer: { fingerprint, requestId, answer: text } });
  } else if (fresh || isAboutBatch(answer)) {
    await caller.ledger.dropRequest(record);
  } else {
    await caller.ledger.yieldRequest(record);
  }
  return answer;
};

/** The batch itself came to nothing; another answer (a mistake in this try's body) says nothing of it. */
const isAboutBatch = (answer: Answer): boolean =>
  answer.batchId !== undefined ||
  (answer.kind === 'failed' && (answer.failure.code === 'insufficient_credits' || answer.failure.code === 'not_ready'));

const inFlight = (retryAfterMs: number): Answer =>
  failed(
    failure('idempotency_in_flight', undefined, {
      retryAfterSeconds: Math.min(Math.ceil(retryAfterMs / 1_000), limits.idempotency.retrySeconds),
    }),
  );

const replay = async <F>(steps: Idempotent<F>, stored: StoredAnswer): Promise<Answer> => {
  const form = await steps.read();
  if (form.ok && form.value.fingerprint === stored.fingerprint)
    return { ...(JSON.parse(stored.answer) as Answer), replayOf: stored.requestId };
  return failed(form.ok ? failure('idempotency_mismatch') : form.failure);
};

/** The earlier batch is known to its saga: wait for its end and answer from it. */
const takeOver = async <F>(services: Services, steps: Idempotent<F>, earlier: Snapshot): Promise<Done> => {
  const form = await steps.read();
  if (!form.ok) return { answer: failed(form.failure) };
  const { fingerprint } = form.value;
  if (earlier.fingerprint !== fingerprint) return { answer: failed(failure('idempotency_mismatch')) };
  const waitMs = earlier.style === 'upload' ? limits.upload.waitMsMax : 0;
  const batch = (await services.sagaOf(earlier.batchId).snapshot({ waitMs })) ?? earlier;
  return { answer: await steps.resume(form.value, batch), fingerprint };
};
