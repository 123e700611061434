/** The mails of local mode, in D1, as the outbox page shows them. */
import { edgeLimits } from '../limits.ts';
import type { Mail } from './mail.ts';

export type OutboxMail = {
  readonly id: number;
  readonly recipient: string;
  readonly subject: string;
  readonly body: string;
  readonly sentAt: number;
};

const { outboxRowsMax } = edgeLimits.portal;

/** Keeps a mail, and removes those beyond the newest `outboxRowsMax`. */
export const outboxSender =
  (db: D1Database) =>
  async ({ to, subject, text, once }: Mail): Promise<void> => {
    await db.batch([
      db
        .prepare(
          'insert into outbox (recipient, subject, body, sent_at, once) values (?, ?, ?, ?, ?) on conflict do nothing',
        )
        .bind(to, subject, text, Date.now(), once ?? null),
      db.prepare('delete from outbox where id <= (select max(id) from outbox) - ?').bind(outboxRowsMax),
    ]);
  };

/** Newest first. */
export const listOutbox = async (db: D1Database): Promise<OutboxMail[]> => {
  const { results } = await db
    .prepare('select id, recipient, subject, body, sent_at as sentAt from outbox order by id desc limit ?')
    .bind(outboxRowsMax)
    .all<OutboxMail>();
  return results;
};
