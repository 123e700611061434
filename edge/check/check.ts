/**
 * A check: what is there to find about one photo, before anything is paid. No batch, no credit, no output; the photo is
 * gone from the store when the answer is sent.
 *
 *     one of the account's free checks → photo into the store → a node looks at it → photo deleted → answer
 */
import { backoffMs } from '../../shared/backoff.ts';
import { sleep } from '../../shared/clock.ts';
import { errors, type Failure, failure } from '../../shared/errors.ts';
import type { CheckReport } from '../../shared/findings.ts';
import { newId } from '../../shared/ids.ts';
import { limits } from '../../shared/limits.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import type { Caller } from '../account/authenticate.ts';
import { again, withoutOutcome } from '../batch/run-image.ts';
import type { FetchInput } from '../input-url/fetch-input.ts';
import { edgeLimits } from '../limits.ts';
import { errorText, logEvent } from '../log.ts';
import type { CheckOutcome, OriginReply, Services, Trace } from '../ports.ts';
import { type Answer, failed } from '../responses/answer.ts';
import { checkAnswer, notBegunAnswer } from '../responses/check.ts';
import { checkKey } from '../stores/object-keys.ts';
import { readingFor } from '../upload/upload.ts';
import { ofPhoto, type Photo, type PhotoRequest, readPhoto } from './read-photo.ts';

export type CheckDeps = { readonly services: Services; readonly fetchInput: FetchInput };

export const checkPhoto = async (
  deps: CheckDeps,
  caller: Caller,
  request: PhotoRequest,
  trace: Trace,
): Promise<Answer> => {
  const { clock, randomBytes } = deps.services;
  const checkId = newId('check', clock.nowMs(), randomBytes);
  const begun = await caller.account.checks.beginCheck(checkId);
  if (begun.result !== 'begun') return notBegunAnswer(begun);
  try {
    const answer = await run(deps, caller, request, trace, checkId);
    return { ...answer, account: { charged: 0, remaining: caller.available }, quotas: begun.quotas };
  } finally {
    // Where the account cannot be reached, the check stops counting as running by itself.
    await caller.account.checks.endCheck(checkId).catch(() => {});
  }
};

const run = async (
  { services, fetchInput }: CheckDeps,
  caller: Caller,
  request: PhotoRequest,
  trace: Trace,
  checkId: string,
): Promise<Answer> => {
  const key = checkKey(checkId);
  let mayBeStored = false;
  const note = (): void => {
    mayBeStored = true;
  };
  try {
    const photo = await readPhoto(request, { services, fetchInput, key, note, reading: readingFor(services, caller) });
    if (!photo.ok) return failedCheck(photo.failure);
    const found = await askFleet(services, caller, photo.value, trace, checkId);
    return found.ok ? checkAnswer(checkId, trace.requestId, photo.value, found.value) : failedCheck(found.failure);
  } finally {
    if (mayBeStored) await discard(services, key);
  }
};

/** What cannot be deleted now is deleted by the sweep. */
const discard = async ({ objects }: Services, key: string): Promise<void> => {
  try {
    await objects.remove([key]);
  } catch (error) {
    logEvent('warn', 'check_input_left', { key, error: errorText(error) });
  }
};

const failedCheck = (found: Failure): Answer =>
  failed(
    errors[found.code].retryable && found.retryAfterSeconds === undefined
      ? { ...found, retryAfterSeconds: edgeLimits.check.retrySeconds }
      : found,
  );

/** One call to the fleet after the other until one is final or the check's time is over. */
const askFleet = async (
  services: Services,
  { accountId }: Caller,
  { options, field }: Photo,
  trace: Trace,
  checkId: string,
): Promise<Result<CheckReport, Failure>> => {
  const { clock, random, objects } = services;
  const deadlineAtMs = clock.nowMs() + limits.checks.waitMsMax;
  const check = {
    check_id: checkId,
    account_id: accountId,
    input_url: await objects.presign('GET', checkKey(checkId)),
    options,
    deadline_at: deadlineAtMs,
  };
  for (let attempt = 1; ; attempt++) {
    const tried = judge(await services.runCheck(check, trace), field, clock.nowMs() >= deadlineAtMs);
    if (tried.kind === 'decided') return tried.result;
    const waitMs = backoffMs(attempt - 1, backoff, random(), tried.afterMs);
    if (attempt === edgeLimits.check.attemptsMax || clock.nowMs() + waitMs >= deadlineAtMs) return fail(tried.failure);
    await sleep(clock, waitMs);
  }
};
const backoff = { baseMs: edgeLimits.origin.retryBaseMs, capMs: edgeLimits.origin.retryCapMs };

type Tried =
  | { readonly kind: 'decided'; readonly result: Result<CheckReport, Failure> }
  /** It may work later; `failure` is what the check fails with if there is no later. It says nothing of the photo. */
  | { readonly kind: 'again'; readonly afterMs: number; readonly failure: Failure };

const judge = (reply: OriginReply<CheckOutcome>, field: Photo['field'], isLate: boolean): Tried => {
  if (reply.kind !== 'outcome') return withoutOutcome(reply, isLate);
  if ('check' in reply.outcome) return { kind: 'decided', result: ok(reply.outcome.check) };
  const { code, detail, retryable } = reply.outcome.failed;
  return retryable ? again(code, detail) : { kind: 'decided', result: fail(ofPhoto(failure(code, detail), field)) };
};
