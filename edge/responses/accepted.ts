/** The answers to opening a batch, the same in both styles: accepted, too few credits, or not now. */
import type { RefusedFile } from '../../shared/api.ts';
import { usdString } from '../../shared/credits.ts';
import { type Failure, failure } from '../../shared/errors.ts';
import { imageId } from '../../shared/ids.ts';
import { limits } from '../../shared/limits.ts';
import { statusPath } from '../../shared/paths.ts';
import type { Caller } from '../account/authenticate.ts';
import type { CapReached } from '../account/ledger/types.ts';
import type { NotOpened } from '../batch/port.ts';
import type { UploadForm } from '../upload/read-upload.ts';
import { type Answer, failed } from './answer.ts';
import { imageError } from './image.ts';

/** Seconds after which a caller may ask again whether its credits can be held. */
const NOT_READY_RETRY_SECONDS = 2;

export type AcceptedBatch = { readonly batchId: string; readonly requestId: string; readonly images: number };

/** The creation response of the specification. `available`: credits left after the hold. `form`: of an upload. */
export const acceptedAnswer = (
  { mode }: Pick<Caller, 'mode'>,
  { batchId, requestId, images }: AcceptedBatch,
  available: number,
  form?: Pick<UploadForm, 'files'>,
): Answer => {
  const charged = mode === 'live' ? images : 0;
  const refused = form ? refusedFiles(form) : [];
  return {
    kind: 'accepted',
    body: {
      success: true,
      status: 'queued',
      request_id: requestId,
      batch_id: batchId,
      charged_images: charged,
      remaining_api_credits_usd: usdString(available),
      images: Array.from({ length: images }, (_, index) => ({ image_id: imageId(batchId, index), status: 'queued' })),
      ...(refused.length > 0 && { refused }),
    },
    account: { charged, remaining: available },
    images,
    batchId,
    location: statusPath(batchId),
    retryAfterSeconds: 1,
  };
};

const refusedFiles = ({ files }: Pick<UploadForm, 'files'>): RefusedFile[] =>
  files.flatMap(({ originalName, failure: why }) =>
    why ? [{ original_name: originalName, error: imageError(why) }] : [],
  );

/** Nothing was opened, and nothing of this request will be charged later. */
export const notOpenedAnswer = (reply: NotOpened): Answer => {
  switch (reply.result) {
    case 'refused':
      return refusedAnswer(reply.available, reply.required);
    case 'quota_exceeded':
      return failed(
        failure(
          'test_quota_exceeded',
          `An account has ${limits.testImages.perDay} free images a day, test keys and previews together; there are new ones at midnight UTC`,
          { retryAfterSeconds: Math.max(1, Math.ceil(reply.retryAfterMs / 1_000)) },
        ),
      );
    case 'cap_reached':
      return failed(capReached(reply.cap), { images: reply.cap.required });
    case 'key_revoked':
      return failed(failure('key_revoked'));
    case 'fingerprint_mismatch':
      return failed(failure('idempotency_mismatch'));
    case 'ledger_silent':
    case 'given_up':
      return notReadyAnswer();
  }
};

/** 402 and not retryable: clients repeat a 429 by themselves, and would do so until midnight. */
const capReached = ({ keyId, creditsMax, credits, required, resetsAtMs }: CapReached): Failure => {
  const resetsAt = new Date(resetsAtMs).toISOString();
  return failure(
    'key_spending_cap_reached',
    `Of the ${creditsMax} credits that the key may spend a day, ${credits} are used, and ${required} are needed; the next day begins at ${resetsAt}`,
    {
      members: {
        key_id: keyId,
        credits_required: required,
        daily_credit_cap: creditsMax,
        credits_used_today: credits,
        resets_at: resetsAt,
      },
    },
  );
};

/** Nothing was opened, and nothing will be: the same request may be sent again. */
export const notReady = (): Failure => failure('not_ready', undefined, { retryAfterSeconds: NOT_READY_RETRY_SECONDS });
export const notReadyAnswer = (): Answer => failed(notReady());

/**
 * The batch was opened or may have been, and nobody could say more of it. Only a request with an Idempotency-Key may be
 * sent again: it goes on with this batch.
 */
export const outcomeUnknownAnswer = (batchId: string, hasKey: boolean): Answer =>
  failed(outcomeUnknown(batchId, hasKey), { batchId });

export const outcomeUnknown = (batchId: string, hasKey = false): Failure =>
  failure('outcome_unknown', undefined, {
    retryable: hasKey,
    retryAfterSeconds: NOT_READY_RETRY_SECONDS,
    members: { batch_id: batchId, status_url: statusPath(batchId) },
  });

export const refusedAnswer = (available: number, required: number): Answer =>
  failed(
    failure(
      'insufficient_credits',
      `${required} ${required === 1 ? 'credit is' : 'credits are'} needed and ${available} available`,
      { members: { credits_required: required, credits_available: available } },
    ),
    { account: { charged: 0, remaining: available }, images: required },
  );
