/** One attempt at an event of an account, signed with its secret, as its log of attempts keeps it. */
import type { Clock } from '../../../shared/clock.ts';
import { newId, type RandomBytes } from '../../../shared/ids.ts';
import type { Attempt, WebhookCall } from '../../webhooks/deliver.ts';
import { shownUrl } from '../../webhooks/shown-url.ts';
import type { WebhookSecretPort } from '../webhook-secret/port.ts';
import type { KeptAttempt } from './port.ts';

type Event = Pick<KeptAttempt, 'url' | 'eventId' | 'batchId' | 'sentBy' | 'endpointId' | 'type'> & {
  readonly body: string;
};
type Sender = {
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  readonly webhooks: { readonly deliver: (call: WebhookCall) => Promise<Attempt> };
};

export const sendEvent = async (
  { clock, randomBytes, webhooks }: Sender,
  { webhookSecret }: { readonly webhookSecret: Pick<WebhookSecretPort, 'webhookSecret'> },
  { url, eventId, batchId, sentBy, body, endpointId, type }: Event,
): Promise<KeptAttempt> => {
  const { secret, previous } = await webhookSecret.webhookSecret();
  const secrets = [secret, ...(previous ? [previous] : [])];
  const attempt = await webhooks.deliver({ url, eventId, body, secrets });
  return {
    ...attempt,
    attemptId: newId('webhookAttempt', clock.nowMs(), randomBytes),
    eventId,
    batchId,
    sentBy,
    ...(endpointId && { endpointId }),
    ...(type && { type }),
    url: shownUrl(url),
    bodyBytes: new TextEncoder().encode(body).length,
    body,
  };
};
