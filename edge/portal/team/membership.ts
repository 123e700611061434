/** Which account a session acts for, and as what. The session says which was chosen; the membership is looked up each time. */
import type { AccountChoice } from '../../../shared/portal-api.ts';
import type { Role } from '../../../shared/roles.ts';

export type Membership = {
  readonly accountId: string;
  /** The user's own account: one that they own. */
  readonly ownAccountId: string;
  /** Null where the user is not a member of the chosen account any more. */
  readonly role: Role | null;
};

/** Null where the session is not this user's. */
export const membershipOf = (db: D1Database, userId: string, sessionId: string): Promise<Membership | null> =>
  db
    .prepare(
      `select u.account_id as ownAccountId, coalesce(s.account_id, u.account_id) as accountId, m.role
       from "user" u join "session" s on s."id" = ?2 and s."userId" = u."id"
       left join members m on m.user_id = u."id" and m.account_id = coalesce(s.account_id, u.account_id)
       where u."id" = ?1`,
    )
    .bind(userId, sessionId)
    .first<Membership>();

/** Where a new session begins: in the account that the user chose last, else in their own. */
export const firstAccountOf = async (db: D1Database, userId: string): Promise<string | null> => {
  const row = await db
    .prepare(
      `select m.account_id as accountId from members m join "user" u on u."id" = m.user_id
       where m.user_id = ? order by m.chosen_at desc nulls last, m.account_id = u.account_id desc limit 1`,
    )
    .bind(userId)
    .first<{ accountId: string }>();
  return row?.accountId ?? null;
};

export type Person = { readonly userId: string; readonly sessionId: string };

/** False where the user is no member of it. One transaction: a membership that ends meanwhile is never chosen. */
export const chooseAccount = async (
  db: D1Database,
  { userId, sessionId }: Person,
  accountId: string,
  nowMs: number,
): Promise<boolean> => {
  const [chosen] = await db.batch([
    db
      .prepare(
        `update "session" set account_id = ?1 where "id" = ?2 and "userId" = ?3
           and exists (select 1 from members where account_id = ?1 and user_id = ?3) returning "id"`,
      )
      .bind(accountId, sessionId, userId),
    db
      .prepare('update members set chosen_at = ?3 where account_id = ?1 and user_id = ?2')
      .bind(accountId, userId, nowMs),
  ]);
  return chosen?.results.length === 1;
};

/** What the owner who is longest a member is called: an account has no name of its own. */
export const accountName = (accountId: string): string => `
  (select f.email from members o join "user" f on f."id" = o.user_id
   where o.account_id = ${accountId} and o.role = 'owner' order by o.joined_at, f."id" limit 1)`;

/** The user's own account first. */
export const accountsOf = async (db: D1Database, userId: string): Promise<AccountChoice[]> => {
  const { results } = await db
    .prepare(
      `select m.account_id, m.role, ${accountName('m.account_id')} as name, m.account_id = u.account_id as isOwn
       from members m join "user" u on u."id" = m.user_id
       where m.user_id = ? order by isOwn desc, m.joined_at`,
    )
    .bind(userId)
    .all<Omit<AccountChoice, 'is_own'> & { readonly isOwn: 0 | 1 }>();
  return results.map(({ isOwn, ...account }) => ({ ...account, is_own: isOwn === 1 }));
};
