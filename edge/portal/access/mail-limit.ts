/**
 * Mails that anybody can have sent to anybody (registering, resetting, confirming, inviting): at most so many for one recipient,
 * so that nobody's mailbox is flooded, and for one client and its network, so that no list of strangers is written to.
 * Counted alike whether or not a recipient has an account.
 */
import { lineOf, networkOf } from '../../../shared/network.ts';
import { edgeLimits } from '../../limits.ts';
import { countEach, type Wait } from '../counters.ts';
import { emailHash } from './email-hash.ts';

type MailKind = 'confirm' | 'reset' | 'invite';
type MailRequest = { readonly kind: MailKind; readonly recipient: string; readonly address: string | undefined };

const HOUR_MS = 60 * 60 * 1000;
const { perRecipientHour, perRecipientDay, perLineHour, perNetworkHour } = edgeLimits.portal.mails;

export const TOO_MANY_MAILS = 'Several mails are on their way already. Look for them before you ask again.';

/** Counts one mail; it may be sent where there is nothing to wait for. A client that is refused costs no recipient anything. */
export const mailWait = async (
  db: D1Database,
  { kind, recipient, address }: MailRequest,
  nowMs: number,
): Promise<Wait> => {
  const to = await emailHash(recipient);
  const counters = [
    [`mails:line:${lineOf(address)}`, perLineHour, HOUR_MS],
    [`mails:network:${networkOf(address)}`, perNetworkHour, HOUR_MS],
    [`mails:${kind}:hour:${to}`, perRecipientHour, HOUR_MS],
    [`mails:${kind}:day:${to}`, perRecipientDay, 24 * HOUR_MS],
  ] as const;
  return countEach(db, counters, nowMs);
};
