/** The two answers to opening a batch, the same in both styles: accepted, or too few credits. */
import { usdString } from '../../shared/credits.ts';
import { failure } from '../../shared/errors.ts';
import { imageId } from '../../shared/ids.ts';
import type { Caller } from '../account/authenticate.ts';
import type { Snapshot } from '../batch/port.ts';
import { type Answer, failed } from './answer.ts';

export type Accepted = {
  readonly batchId: string;
  readonly requestId: string;
  readonly images: number;
  readonly charged: number;
  readonly available: number;
};

/** The creation response of the specification. */
export const acceptedAnswer = ({ batchId, requestId, images, charged, available }: Accepted): Answer => ({
  kind: 'accepted',
  body: {
    success: true,
    status: 'queued',
    request_id: requestId,
    batch_id: batchId,
    charged_images: charged,
    remaining_api_credits_usd: usdString(available),
    images: Array.from({ length: images }, (_, index) => ({ image_id: imageId(batchId, index), status: 'queued' })),
  },
  account: { charged, remaining: available },
  images,
  batchId,
  location: `/api/v1/service-hero/status/${batchId}`,
  retryAfterSeconds: 1,
});

/** The same answer for a batch that an earlier, broken-off request opened. */
export const acceptedAgain = (caller: Caller, { batchId, requestId, counts, mode }: Snapshot): Answer =>
  acceptedAnswer({
    batchId,
    requestId,
    images: counts.total,
    charged: mode === 'live' ? counts.total : 0,
    available: caller.available,
  });

export const refused = (available: number, required: number): Answer =>
  failed(
    failure(
      'insufficient_credits',
      `${required} ${required === 1 ? 'credit is' : 'credits are'} needed and ${available} available`,
      { members: { credits_required: required, credits_available: available } },
    ),
    {
      account: { charged: 0, remaining: available },
      images: required,
    },
  );
