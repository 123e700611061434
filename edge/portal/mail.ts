/** Sending mail: one interface, two senders. Production posts to an HTTP mail API, local mode keeps mails in D1. */
import { edgeLimits } from '../limits.ts';
import { outboxSender } from './outbox.ts';
import type { PortalSettings } from './settings.ts';

/** `once`: a mail with the same is sent once, however often it is asked for, as far as the mail API remembers. */
export type Mail = { readonly to: string; readonly subject: string; readonly text: string; readonly once?: string };
export type SendMail = (mail: Mail) => Promise<void>;

export const mailSender = (settings: PortalSettings, db: D1Database): SendMail =>
  settings.mail.kind === 'api' ? apiSender(settings.mail) : outboxSender(db);

/** Throws what the first failed of, once each was tried: one address that takes no mail must not keep others from theirs. */
export const sendAll = async (send: SendMail, mails: readonly Mail[]): Promise<void> => {
  const sent = await Promise.allSettled(mails.map(send));
  const failed = sent.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
};

/**
 * The body that Resend and compatible APIs take: `{from, to, subject, text}`, bearer key; `Idempotency-Key`, which Resend
 * remembers for 24 hours. Throws unless it is taken.
 */
const apiSender =
  ({ url, key, from }: { url: string; key: string; from: string }): SendMail =>
  async ({ to, subject, text, once }) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        ...(once === undefined ? {} : { 'idempotency-key': once }),
      },
      body: JSON.stringify({ from, to: [to], subject, text }),
      signal: AbortSignal.timeout(edgeLimits.portal.mailMsMax),
    });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`the mail API answered ${response.status}`);
  };
