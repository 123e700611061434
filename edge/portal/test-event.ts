/** A webhook that a customer sends to an address of their own, to try its receiver. No batch has ended. */
import type { BatchStatusResponse } from '../../shared/api.ts';
import { usdString } from '../../shared/credits.ts';
import { newId } from '../../shared/ids.ts';
import type { AccountParts } from '../account/port.ts';
import type { KeptAttempt } from '../account/webhook-attempts/port.ts';
import { sendEvent } from '../account/webhook-attempts/send.ts';
import type { Services } from '../ports.ts';
import { timeOf } from './time.ts';

/** The body of a batch of no images, of which `test` says what it is; its batch id names none. */
const testBody = (batchId: string, requestId: string, at: string, remaining: number) =>
  ({
    test: true,
    success: true,
    request_id: requestId,
    batch_id: batchId,
    status: 'completed',
    progress: { total: 0, queued: 0, processing: 0, completed: 0, failed: 0 },
    charged_images: 0,
    refunded_images: 0,
    remaining_api_credits_usd: usdString(remaining),
    created_at: at,
    completed_at: at,
    images: [],
  }) satisfies BatchStatusResponse & { readonly test: true };

/** Signed with the account's secret and kept in its log. `url` has passed `webhooks.check`. */
export const sendTestEvent = async (
  services: Services,
  account: Pick<AccountParts, 'webhookAttempts' | 'webhookSecret'>,
  { url, available }: { readonly url: string; readonly available: number },
): Promise<KeptAttempt> => {
  const { clock, randomBytes } = services;
  const idOf = (kind: 'batch' | 'request' | 'event') => newId(kind, clock.nowMs(), randomBytes);
  const body = testBody(idOf('batch'), idOf('request'), timeOf(clock.nowMs()), available);
  const event = { url, eventId: idOf('event'), batchId: null, sentBy: 'test', body: JSON.stringify(body) } as const;
  const attempt = await sendEvent(services, account, event);
  await account.webhookAttempts.noteAttempt(attempt);
  return attempt;
};
