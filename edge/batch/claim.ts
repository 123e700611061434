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
import { notReady, outcomeUnknownAnswer } from '../responses/accepted.ts';
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
  /** The batch is open already. */
  readonly resumes: boolean;
  /** Ends the renewals of its lease. */
  readonly stop: () => void;
};

export type Begun =
  /** Not to be run: the key is unusable or in use, or nothing could be learned of an earlier try's batch. */
  | { readonly kind: 'refused'; readonly answer: Answer }
  /** Answered before; the same body gets the same answer. */
  | { readonly kind: 'replay'; readonly stored: StoredAnswer }
  /** To be run. */
  | { readonly kind: 'fresh'; readonly claim: Claim }
  /** An earlier try opened this batch and died: to be answered from it. */
  | { readonly kind: 'resumed'; readonly claim: Claim; readonly batch: Snapshot };

/** What one try came to. `fingerprint` of its body where that was read to the end. */
export type Tried = { readonly answer: Answer; readonly fingerprint?: string };

type ClaimServices = Pick<Services, 'sagaOf' | 'clock'>;

export const begin = async (
  services: ClaimServices,
  caller: Caller,
  { requestId, batchId, idempotencyKey }: KeyedRequest,
): Promise<Begun> => {
  if (idempotencyKey === null)
    return { kind: 'fresh', claim: { batchId, record: null, resumes: false, stop: () => {} } };
  if (idempotencyKey.length === 0 || idempotencyKey.length > limits.idempotency.keyCharsMax)
    return { kind: 'refused', answer: failed(failure('idempotency_key_invalid')) };
  const record = { keyId: caller.keyId, idempotencyKey, batchId, owner: requestId };
  const begun = await recorded(requestId, caller.account.idempotency.beginRequest(record));
  if (!begun.ok) return { kind: 'refused', answer: failed(begun.failure) };
  switch (begun.value.result) {
    case 'in_flight':
      return { kind: 'refused', answer: failed(inFlight(begun.value.retryAfterMs)) };
    case 'done':
      return { kind: 'replay', stored: begun.value.answer };
    case 'fresh':
      return { kind: 'fresh', claim: claimOf(services, caller, record, false) };
    case 'taken_over':
      return takeOver(services, caller, record, begun.value.batchId);
  }
};

/**
 * What the account remembers of its keyed requests may be full or away. Before a batch is opened that stops a request with
 * a key, which could not be told from its repetition; nothing was charged.
 */
const recorded = async <T>(requestId: string, asked: Promise<T>): Promise<Result<T, Failure>> => {
  try {
    return ok(await asked);
  } catch (error) {
    logEvent('error', 'idempotency_away', { request_id: requestId, error: errorText(error) });
    return fail(notReady());
  }
};

/**
 * The try that held the record is dead, or so slow that it must stop. If its batch is open, this try goes on with it. If
 * not, that batch is given up, so that it never will be, and this try opens one of its own.
 */
const takeOver = async (
  services: ClaimServices,
  caller: Caller,
  record: RequestRecord,
  earlierId: string,
): Promise<Begun> => {
  const { idempotency } = caller.account;
  const earlier = { ...record, batchId: earlierId };
  try {
    const batch = await openBatchOf(services, earlierId);
    if (batch === 'removed') {
      await noted(record.owner, idempotency.yieldRequest(earlier));
      return { kind: 'refused', answer: failed(failure('batch_deleted'), { batchId: earlierId }) };
    }
    if (batch) return { kind: 'resumed', claim: claimOf(services, caller, earlier, true), batch };
  } catch (error) {
    logEvent('error', 'batch_outcome_unknown', { batch_id: earlierId, error: errorText(error) });
    await noted(record.owner, idempotency.yieldRequest(earlier));
    return { kind: 'refused', answer: outcomeUnknownAnswer(earlierId, true) };
  }
  const renewed = await recorded(record.owner, idempotency.renewRequest(record));
  if (!renewed.ok) return { kind: 'refused', answer: failed(renewed.failure) };
  if (!renewed.value) return { kind: 'refused', answer: failed(inFlight(edgeLimits.idempotency.leaseMs)) };
  return { kind: 'fresh', claim: claimOf(services, caller, record, false) };
};

/** Undefined once it is certain that the batch is not open and never will be. */
const openBatchOf = async ({ sagaOf }: ClaimServices, batchId: string): Promise<Snapshot | 'removed' | undefined> => {
  const saga = sagaOf(batchId);
  const batch = await saga.snapshot();
  if (batch) return batch;
  const given = await saga.giveUp(batchId);
  return given === 'opened' ? saga.snapshot() : given === 'removed' ? given : undefined;
};

const claimOf = (services: ClaimServices, caller: Caller, record: RequestRecord, resumes: boolean): Claim => ({
  batchId: record.batchId,
  record,
  resumes,
  stop: keepLease(services, caller, record),
});

/**
 * Renews the lease for as long as the try runs, also while its body comes in, but no longer than any try may: a retry then
 * takes over from one that hangs. Answers what ends that.
 */
const keepLease = ({ clock }: ClaimServices, { account }: Caller, record: RequestRecord): (() => void) => {
  const untilMs = clock.nowMs() + edgeLimits.idempotency.renewForMsMax;
  let isRunning = true;
  let cancel = (): void => {};
  const renewLater = (): void => {
    cancel = clock.after(edgeLimits.idempotency.renewEveryMs, () => void renewNow());
  };
  const renewNow = async (): Promise<void> => {
    // Whether it still is the owner, the try asks before it opens its batch.
    await noted(record.owner, account.idempotency.renewRequest(record));
    if (isRunning && clock.nowMs() < untilMs) renewLater();
  };
  renewLater();
  return () => {
    isRunning = false;
    cancel();
  };
};

/** Fails where a later try owns the record, or nobody can say who does: this one must stop. */
export const renew = async ({ account }: Caller, { record }: Claim): Promise<Result<void, Failure>> => {
  if (record === null) return ok(undefined);
  const renewed = await recorded(record.owner, account.idempotency.renewRequest(record));
  if (!renewed.ok) return renewed;
  return renewed.value ? ok(undefined) : fail(failure('idempotency_in_flight'));
};

/**
 * Ends the claim by what `work` came to. A final answer is kept. Where the batch is or may be open all the same, the next
 * try takes it over; otherwise the key is free for another request.
 */
export const endClaim = async (
  { account: { idempotency } }: Caller,
  { record, resumes, stop }: Claim,
  { requestId }: KeyedRequest,
  work: Promise<Tried>,
): Promise<Answer> => {
  if (record === null) return (await work).answer;
  const { answer, fingerprint } = await work.finally(stop).catch(async (error: unknown) => {
    await noted(requestId, idempotency.yieldRequest(record));
    throw error;
  });
  const text = JSON.stringify(answer);
  if (fingerprint !== undefined && isFinal(answer) && text.length <= edgeLimits.idempotency.answerBytesMax)
    await noted(requestId, idempotency.finishRequest({ ...record, answer: { fingerprint, requestId, answer: text } }));
  else if (isUnknown(answer) || (resumes && !isAboutBatch(answer)))
    await noted(requestId, idempotency.yieldRequest(record));
  else await noted(requestId, idempotency.dropRequest(record));
  return answer;
};

/** A record that could not be written changes no answer: once its lease is over, a retry finds out from the batch. */
const noted = async (requestId: string, write: Promise<unknown>): Promise<void> => {
  try {
    await write;
  } catch (error) {
    logEvent('warn', 'idempotency_not_noted', { request_id: requestId, error: errorText(error) });
  }
};

/** The stored answer, if this body is the one it answered. That of a deleted batch is for any: what was sent is forgotten. */
export const replayedAnswer = (
  stored: StoredAnswer,
  form: Result<{ readonly fingerprint: string }, Failure>,
): Answer => {
  const isRemoved = stored.fingerprint === '';
  if (!isRemoved && !form.ok) return failed(form.failure);
  if (!isRemoved && form.ok && form.value.fingerprint !== stored.fingerprint)
    return failed(failure('idempotency_mismatch'));
  return { ...(JSON.parse(stored.answer) as Answer), replayOf: stored.requestId };
};

/** The earlier try's batch, if it was opened for this body. */
export const earlierBatch = (earlier: Snapshot, fingerprint: string): Result<Snapshot, Failure> =>
  earlier.fingerprint === fingerprint ? ok(earlier) : fail(failure('idempotency_mismatch'));

const inFlight = (retryAfterMs: number): Failure =>
  failure('idempotency_in_flight', undefined, {
    retryAfterSeconds: Math.min(Math.ceil(retryAfterMs / 1_000), edgeLimits.idempotency.retrySeconds),
  });
