/** A webhook that a customer sends to an address of their own, to try its receiver. Nothing has happened. */
import type { BatchStatusResponse } from '../../shared/api.ts';
import { usdString } from '../../shared/credits.ts';
import { newId } from '../../shared/ids.ts';
import type { WebhookEventType } from '../../shared/webhook-events.ts';
import type { Summary } from '../account/ledger/port.ts';
import type { AccountParts } from '../account/port.ts';
import type { KeptAttempt } from '../account/webhook-attempts/port.ts';
import { sendEvent } from '../account/webhook-attempts/send.ts';
import type { Services } from '../ports.ts';
import { balanceLowBody } from '../webhooks/balance-low.ts';
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

type TestEvent = {
  readonly url: string;
  readonly endpointId?: string;
  readonly event: WebhookEventType;
  readonly accountId: string;
};

/** Signed with the account's secret and kept in its log. `url` has passed `webhooks.check`. */
export const sendTestEvent = async (
  services: Services,
  account: Pick<AccountParts, 'webhookAttempts' | 'webhookSecret'> & { readonly summary: Summary },
  { event: type, accountId, ...to }: TestEvent,
): Promise<KeptAttempt> => {
  const { clock, randomBytes } = services;
  const nowMs = clock.nowMs();
  const idOf = (kind: 'batch' | 'request' | 'event') => newId(kind, nowMs, randomBytes);
  const eventId = idOf('event');
  const { available, held } = account.summary;
  const body =
    type === 'balance.low'
      ? {
          ...balanceLowBody({ eventId, accountId, balance: available + held, level: available + held, atMs: nowMs }),
          test: true,
        }
      : testBody(idOf('batch'), idOf('request'), timeOf(nowMs), available);
  const event = { ...to, eventId, type, batchId: null, sentBy: 'test', body: JSON.stringify(body) } as const;
  const attempt = await sendEvent(services, account, event);
  await account.webhookAttempts.noteAttempt(attempt);
  return attempt;
};
