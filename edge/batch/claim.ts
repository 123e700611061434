/**
 * One request under an Idempotency-Key: run once, answered as often as it is sent. Its record names the batch before
 * that is opened, so that a retry after a crash finds what the first request did instead of charging for it again.
 */
import { type Failure, failure } from '../../shared/errors.ts';
import { limits } from '../../shared/limits.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import type { Caller } from '../account/authenticate.ts';
import type { RequestRecord } from '../account/idempotency/port.ts';
import type { StoredAnswer } from '../account/idempotency/record.ts';
import { edgeLimits } from '../limits.ts';
import { errorText, logEvent } from '../log.ts';
import type { Services } from '../ports.ts';
import { type Answer, failed, isAboutBatch, isFinal, isUnknown } from '../responses/answer.ts';
import type { Snapshot } from './port.ts';

export type KeyedRequest = {
  readonly requestId: string;
  readonly batchId: string;
  readonly idempotencyKey: string | null;
};

/** Leave to open the batch `batchId`. */
export type Claim = {
  readonly batchId: string;
  /** Null for a request without an Idempotency-Key, which nobody can repeat. */
  readonly record: RequestRecord | null;
  /** No earlier try has begun under this key, so no batch can live under it yet. */
  readonly isFirst: boolean;
};

export type Begun =
  | { readonly kind: 'invalid_key' | 'in_flight'; readonly failure: Failure }
  /** Answered before; the same body gets the same answer. */
  | { readonly kind: 'replay'; readonly stored: StoredAnswer }
  /** To be run. */
  | { readonly kind: 'fresh'; readonly claim: Claim }
  /** An earlier try opened this batch and died: to be answered from it. */
  | { readonly kind: 'resumed'; readonly claim: Claim; readonly batch: Snapshot };

/** What one try came to. `fingerprint` of its body where that was read to the end. */
export type Tried = { readonly answer: Answer; readonly fingerprint?: string };

export const begin = async (
  { sagaOf }: Pick<Services, 'sagaOf'>,
  { account, keyId }: Caller,
  { batchId, idempotencyKey }: KeyedRequest,
): Promise<Begun> => {
  if (idempotencyKey === null) return { kind: 'fresh', claim: { batchId, record: null, isFirst: true } };
  if (idempotencyKey.length === 0 || idempotencyKey.length > limits.idempotency.keyCharsMax)
    return { kind: 'invalid_key', failure: failure('idempotency_key_invalid') };
  const begun = await account.idempotency.beginRequest({ keyId, idempotencyKey, batchId });
  switch (begun.result) {
    case 'in_flight':
      return { kind: 'in_flight', failure: inFlight(begun.retryAfterMs) };
    case 'done':
      return { kind: 'replay', stored: begun.answer };
    case 'fresh':
      return { kind: 'fresh', claim: { batchId, record: { keyId, idempotencyKey, batchId }, isFirst: true } };
    case 'taken_over': {
      const record = { keyId, idempotencyKey, batchId: begun.batchId };
      const claim = { batchId: begun.batchId, record, isFirst: false };
      const batch = await sagaOf(begun.batchId).snapshot();
      return batch ? { kind: 'resumed', claim, batch } : { kind: 'fresh', claim };
    }
  }
};

/** Prolongs the claim. Fails where a later request took it over: this one must stop. */
export const renew = async ({ account }: Caller, { record }: Claim): Promise<Result<void, Failure>> =>
  record === null || (await account.idempotency.renewRequest(record))
    ? ok(undefined)
    : fail(failure('idempotency_in_flight'));

/**
 * Ends the claim by what `work` came to. A final answer is kept. Any other one frees the key for another try, unless
 * the batch of an earlier try may still live under it.
 */
export const endClaim = async (
  { account: { idempotency } }: Caller,
  { record, isFirst }: Claim,
  { requestId }: KeyedRequest,
  work: Promise<Tried>,
): Promise<Answer> => {
  if (record === null) return (await work).answer;
  const { answer, fingerprint } = await work.catch(async (error: unknown) => {
    await noted(requestId, idempotency.yieldRequest(record));
    throw error;
  });
  const text = JSON.stringify(answer);
  if (fingerprint !== undefined && isFinal(answer) && text.length <= edgeLimits.idempotency.answerBytesMax)
    await noted(requestId, idempotency.finishRequest({ ...record, answer: { fingerprint, requestId, answer: text } }));
  else if (!isUnknown(answer) && (isFirst || isAboutBatch(answer)))
    await noted(requestId, idempotency.dropRequest(record));
  else await noted(requestId, idempotency.yieldRequest(record));
  return answer;
};

/** A record that could not be written changes no answer: once its lease is over, a retry finds out from the batch. */
const noted = (requestId: string, write: Promise<void>): Promise<void> =>
  write.catch((error: unknown) =>
    logEvent('warn', 'idempotency_not_noted', { request_id: requestId, error: errorText(error) }),
  );

/** The stored answer, if this body is the one it answered. */
export const replayedAnswer = (
  stored: StoredAnswer,
  form: Result<{ readonly fingerprint: string }, Failure>,
): Answer => {
  if (!form.ok) return failed(form.failure);
  if (form.value.fingerprint !== stored.fingerprint) return failed(failure('idempotency_mismatch'));
  return { ...(JSON.parse(stored.answer) as Answer), replayOf: stored.requestId };
};

/** The earlier try's batch, an upload at its end or when an upload must be answered. Fails for another body. */
export const earlierBatch = async (
  { sagaOf }: Pick<Services, 'sagaOf'>,
  earlier: Snapshot,
  fingerprint: string,
): Promise<Result<Snapshot, Failure>> => {
  if (earlier.fingerprint !== fingerprint) return fail(failure('idempotency_mismatch'));
  const waitMs = earlier.style === 'upload' ? limits.upload.waitMsMax : 0;
  return ok((await sagaOf(earlier.batchId).snapshot({ waitMs })) ?? earlier);
};

const inFlight = (retryAfterMs: number): Failure =>
  failure('idempotency_in_flight', undefined, {
    retryAfterSeconds: Math.min(Math.ceil(retryAfterMs / 1_000), edgeLimits.idempotency.retrySeconds),
  });
