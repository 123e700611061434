/** The status of a batch, for its poll and its webhook. */
import type { BatchStatusResponse } from '../../shared/api.ts';
import { usdString } from '../../shared/credits.ts';
import type { Snapshot } from '../batch/port.ts';
import type { Services } from '../ports.ts';
import { statusImage } from './image.ts';

const isoTime = (ms: number): string => new Date(ms).toISOString();

/** `remaining`: credits of the account. */
export const batchStatusBody = async (
  services: Services,
  batch: Snapshot,
  requestId: string,
  remaining: number,
): Promise<BatchStatusResponse> => ({
  success: batch.status !== 'failed',
  request_id: requestId,
  batch_id: batch.batchId,
  status: batch.status,
  progress: batch.counts,
  // What the batch costs as it stands, so that it and the balance add up at any time: begins as the creation's, falls
  // by each image that fails.
  charged_images: batch.credits.held + batch.credits.posted,
  refunded_images: batch.credits.voided,
  remaining_api_credits_usd: usdString(remaining),
  created_at: isoTime(batch.createdAtMs),
  completed_at: batch.completedAtMs === null ? null : isoTime(batch.completedAtMs),
  ...(batch.endReason === null ? {} : { end_reason: batch.endReason }),
  images: await Promise.all(batch.images.map((image) => statusImage(services, batch, image))),
});
