/** One attempt at an event of an account, signed with its secret, as its log of attempts keeps it. */
import { newId } from '../../shared/ids.ts';
import type { AccountParts } from '../account/port.ts';
import type { Services } from '../ports.ts';
import type { KeptAttempt } from './attempts-port.ts';
import { shownUrl } from './shown-url.ts';

type Event = Pick<KeptAttempt, 'url' | 'eventId' | 'batchId' | 'sentBy'> & { readonly body: string };
type Sender = Pick<Services, 'clock' | 'randomBytes' | 'webhooks'> & {
  readonly accountOf: (accountId: string) => Pick<AccountParts, 'webhookSecret'>;
};

export const sendEvent = async (
  { clock, randomBytes, webhooks, accountOf }: Sender,
  accountId: string,
  event: Event,
): Promise<KeptAttempt> => {
  const { secret, previous } = await accountOf(accountId).webhookSecret.webhookSecret();
  const attempt = await webhooks.deliver({ ...event, secrets: [secret, ...(previous ? [previous] : [])] });
  return {
    ...event,
    ...attempt,
    url: shownUrl(event.url),
    attemptId: newId('webhookAttempt', clock.nowMs(), randomBytes),
    bodyBytes: new TextEncoder().encode(event.body).length,
  };
};
