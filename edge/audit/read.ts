/** Reading the audit log of one account, and letting go of what is too old. */
import type { AuditRow } from '../../shared/portal-api.ts';
import { edgeLimits } from '../limits.ts';

/** As the portal's page knows it, with its time in milliseconds. */
export type StoredAuditRow = Omit<AuditRow, 'at'> & { readonly at: number };

export const AUDIT_GROUPS = ['access', 'members', 'keys', 'money', 'data', 'operator'] as const;
export type AuditGroup = (typeof AUDIT_GROUPS)[number];

type Page = { readonly group?: AuditGroup | undefined; readonly before?: string | null; readonly max: number };

/** Newest first, from the event before `before` on. `next` is null at the end. */
export const auditPage = async (
  db: D1Database,
  accountId: string,
  { group, before = null, max }: Page,
): Promise<{ readonly rows: readonly StoredAuditRow[]; readonly next: string | null }> => {
  const { results } = await db
    .prepare(
      `select e.id, e.at, e.actor, e.action, e.subject, e.detail, e.address, e.country, e.user_id as member_id, u.email as member
       from audit_events e left join "user" u on u."id" = e.user_id
       where e.account_id = ?1 and (?2 is null or e.id < ?2) and (?3 is null or e.action like ?3 || '.%')
       order by e.id desc limit ?4`,
    )
    .bind(accountId, before, group ?? null, max + 1)
    .all<StoredAuditRow>();
  const rows = results.slice(0, max);
  return { rows, next: results.length > max ? (rows.at(-1)?.id ?? null) : null };
};

/**
 * Keys whose secret this user could have seen, by id: those that the portal showed them, and those that were made or
 * rolled with such a key (http/audit-deed.ts says by which). Events from before there were members name nobody: whoever
 * was there by then made them.
 */
export const keysSeenBy = async (
  db: D1Database,
  accountId: string,
  { userId, joinedAtMs }: { readonly userId: string; readonly joinedAtMs: number },
): Promise<ReadonlySet<string>> => {
  const { results } = await db
    .prepare(
      `with recursive
         given(subject, actor, detail, user_id, at) as (
           select subject, actor, detail, user_id, at from audit_events
           where account_id = ?1 and action in ('keys.made', 'keys.rolled') and subject is not null),
         seen(key) as (
           select subject from given where actor = 'owner' and (user_id = ?2 or (user_id is null and at >= ?3))
           union
           select subject from given join seen on substr(detail, -length('by ' || seen.key)) = 'by ' || seen.key
             where actor = 'key')
       select key from seen`,
    )
    .bind(accountId, userId, joinedAtMs)
    .all<{ key: string }>();
  return new Set(results.map(({ key }) => key));
};

/** Answers how many rows were changed or went; bounded. */
export const sweepAudit = async (db: D1Database, nowMs: number): Promise<number> => {
  const { keptMs, addressKeptMs, sweepRowsMax } = edgeLimits.audit;
  const some = (where: string) => `select rowid from audit_events where ${where} order by at limit ${sweepRowsMax}`;
  const results = await db.batch([
    db.prepare(`delete from audit_events where rowid in (${some('at < ?')})`).bind(nowMs - keptMs),
    db
      .prepare(`update audit_events set address = null where rowid in (${some('at < ? and address is not null')})`)
      .bind(nowMs - addressKeptMs),
  ]);
  return results.reduce((sum, { meta }) => sum + meta.changes, 0);
};
