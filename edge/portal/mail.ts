/**
 * Sending mail: one interface, two senders. Production posts to an HTTP mail API; local mode keeps mails in D1 and
 * shows them on the outbox page.
 */
import { edgeLimits } from '../limits.ts';
import type { PortalSettings } from './settings.ts';

export type Mail = { readonly to: string; readonly subject: string; readonly text: string };
export type SendMail = (mail: Mail) => Promise<void>;
export type OutboxMail = {
  readonly id: number;
  readonly recipient: string;
  readonly subject: string;
  readonly body: string;
  readonly sentAt: number;
};

export const mailSender = (settings: PortalSettings, db: D1Database): SendMail =>
  settings.mail.kind === 'api' ? apiSender(settings.mail) : outboxSender(db);

/**
 * The body that Resend and compatible APIs take: `{from, to, subject, text}`, bearer key. Throws where the API refuses.
 */
const apiSender =
  ({ url, key, from }: { url: string; key: string; from: string }): SendMail =>
  async ({ to, subject, text }) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ from, to: [to], subject, text }),
      signal: AbortSignal.timeout(edgeLimits.portal.mailMsMax),
    });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`the mail API answered ${response.status}`);
  };

const outboxSender =
  (db: D1Database): SendMail =>
  async ({ to, subject, text }) =>
    void (await db.batch([
      db
        .prepare('insert into outbox (recipient, subject, body, sent_at) values (?, ?, ?, ?)')
        .bind(to, subject, text, Date.now()),
      db
        .prepare('delete from outbox where id <= (select max(id) from outbox) - ?')
        .bind(edgeLimits.portal.outboxRowsMax),
    ]));

/** Newest first. Local mode only. */
export const outbox = async (db: D1Database): Promise<OutboxMail[]> =>
  (
    await db
      .prepare('select id, recipient, subject, body, sent_at as sentAt from outbox order by id desc limit ?')
      .bind(edgeLimits.portal.outboxRowsMax)
      .all<OutboxMail>()
  ).results;

const minutes = Math.round(edgeLimits.portal.mailLinkSeconds / 60);

export const verificationMail = (to: string, url: string): Mail => ({
  to,
  subject: 'Confirm your mail address',
  text: `Welcome to packshot.\n\nConfirm your mail address to open your account:\n\n${url}\n\nThe link works for ${minutes} minutes. If you did not register, ignore this mail; nothing happens.\n`,
});

export const alreadyRegisteredMail = (to: string, signInUrl: string): Mail => ({
  to,
  subject: 'You already have an account',
  text: `Somebody, perhaps you, tried to register with this mail address, which already has an account.\n\nSign in, or reset the password there:\n\n${signInUrl}\n\nIf it was not you, nothing needs to be done.\n`,
});

export const resetMail = (to: string, url: string): Mail => ({
  to,
  subject: 'Choose a new password',
  text: `Choose a new password:\n\n${url}\n\nThe link works once, for ${minutes} minutes. If you did not ask for it, ignore this mail; your password stays as it is.\n`,
});

export const passwordChangedMail = (to: string): Mail => ({
  to,
  subject: 'Your password was changed',
  text: 'The password of your packshot account was changed and other sessions were signed out.\n\nIf it was not you, reset the password at once from the sign-in page.\n',
});
