/** Where a batch stands, for the key that made it. The same body goes to the batch's webhook. */
import type { BatchStatusResponse } from '../../shared/api.ts';
import { usdString } from '../../shared/credits.ts';
import { failure } from '../../shared/errors.ts';
import { isId } from '../../shared/ids.ts';
import { limits } from '../../shared/limits.ts';
import type { Caller } from '../account/authenticate.ts';
import type { Services } from '../ports.ts';
import { type Answer, failed } from '../responses/answer.ts';
import { presentStatusImage } from '../responses/image.ts';
import type { Snapshot } from './port.ts';

/** `waitSeconds` (0 to 25): answer when the batch ends, or then. Another key's batch is as unknown as none. */
export const batchStatus = async (
  services: Services,
  caller: Caller,
  requestId: string,
  batchId: string,
  waitSeconds: number,
): Promise<Answer> => {
  if (!isId('batch', batchId)) return failed(failure('batch_not_found'));
  const saga = services.sagaOf(batchId);
  const now = await saga.snapshot();
  if (!now || now.keyId !== caller.keyId) return failed(failure('batch_not_found'));
  const batch =
    waitSeconds > 0 && now.completedAtMs === null
      ? ((await saga.snapshot({ waitMs: waitSeconds * 1_000 })) ?? now)
      : now;
  const remaining = (await caller.ledger.summary())?.available ?? 0;
  const running = batch.completedAtMs === null;
  return {
    kind: 'ok',
    body: await statusBody(services, batch, requestId, remaining),
    account: { charged: 0, remaining },
    batchId,
    ...(running ? { retryAfterSeconds: pollSeconds(batch) } : {}),
  };
};

/** A rough half second an image, so that a large batch is not polled needlessly. */
const pollSeconds = ({ counts }: Snapshot): number =>
  Math.min(limits.batch.pollSecondsMax, Math.max(1, Math.ceil((counts.queued + counts.processing) / 2)));

export const statusBody = async (
  services: Services,
  batch: Snapshot,
  requestId: string,
  remaining: number,
): Promise<BatchStatusResponse> => ({
  success: true,
  request_id: requestId,
  batch_id: batch.batchId,
  status: batch.status,
  progress: batch.counts,
  // As at creation: what was taken for the batch. Less the refunded it is what the batch costs, so that these and the
  // balance add up at any time.
  charged_images: batch.credits.held + batch.credits.posted + batch.credits.voided,
  refunded_images: batch.credits.voided,
  remaining_api_credits_usd: usdString(remaining),
  created_at: new Date(batch.createdAtMs).toISOString(),
  completed_at: batch.completedAtMs === null ? null : new Date(batch.completedAtMs).toISOString(),
  images: await Promise.all(batch.images.map((image) => presentStatusImage(services, batch, image))),
});
