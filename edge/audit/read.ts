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

/** Keys whose secret this user was shown, by id. `orUnknown`: those too of which it is not on record who was. */
export const keysMadeBy = async (
  db: D1Database,
  accountId: string,
  { userId, orUnknown }: { readonly userId: string; readonly orUnknown: boolean },
): Promise<ReadonlySet<string>> => {
  const { results } = await db
    .prepare(
      `select distinct subject from audit_events
       where account_id = ?1 and action in ('keys.made', 'keys.rolled') and actor = 'owner'
         and (user_id = ?2 or (?3 and user_id is null))`,
    )
    .bind(accountId, userId, orUnknown ? 1 : 0)
    .all<{ subject: string | null }>();
  return new Set(results.flatMap(({ subject }) => subject ?? []));
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
