/**
 * Members of an account. Each change is one statement that also looks whether its actor still may and whether an owner
 * remains, so that no two changes at once pass together; what follows from it is in the same transaction.
 */
import type { Role } from '../../../shared/roles.ts';

export type Member = {
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly joinedAtMs: number;
  readonly hasTwoFactor: 0 | 1;
};

const COLUMNS = `m.user_id as userId, u.email, u.name, m.role, m.joined_at as joinedAtMs, u."twoFactorEnabled" as hasTwoFactor`;
const FROM = 'from members m join "user" u on u."id" = m.user_id where m.account_id = ?1';

/** Those of longest standing first; bounded by `edgeLimits.portal.team.membersMax`. */
export const listMembers = async (db: D1Database, accountId: string): Promise<Member[]> => {
  const { results } = await db
    .prepare(`select ${COLUMNS} ${FROM} order by m.joined_at, u.email`)
    .bind(accountId)
    .all<Member>();
  return results;
};

export const findMember = (db: D1Database, accountId: string, userId: string): Promise<Member | null> =>
  db.prepare(`select ${COLUMNS} ${FROM} and m.user_id = ?2`).bind(accountId, userId).first<Member>();

/** Where mails about an account go. */
export const addressesOf = async (db: D1Database, accountId: string, asked: readonly Role[]): Promise<Member[]> =>
  (await listMembers(db, accountId)).filter(({ role }) => asked.includes(role));

type Change = {
  readonly accountId: string;
  readonly userId: string;
  /** As it was when the actor looked; another one meanwhile changes nothing. */
  readonly from: Role;
  readonly actorId: string;
  /** For a user who owns no account any more. */
  readonly newAccountId: string;
  readonly nowMs: number;
};
/** An invitation that was withdrawn because its sender is no owner any more. */
export type Withdrawn = { readonly id: string; readonly email: string; readonly role: Role };
/** `stale`: the member, or the actor, is not what they were a moment ago. */
export type Changed = { readonly withdrawn: readonly Withdrawn[] } | 'last_owner' | 'stale';

/** ?1 account, ?2 member, ?3 their role before, ?4 actor. */
const AS_IT_WAS = 'account_id = ?1 and user_id = ?2 and role = ?3';
const BY_AN_OWNER = "exists (select 1 from members a where a.account_id = ?1 and a.user_id = ?4 and a.role = 'owner')";
const ANOTHER_OWNER =
  "exists (select 1 from members o where o.account_id = ?1 and o.role = 'owner' and o.user_id <> ?2)";

/**
 * A user always owns their own account: who stops owning it gets another, empty one. So does nobody who is let out of an
 * account by the Worker of the version before, which knows a user's own account alone, come back into it.
 */
export const ownAccountAnew = (
  db: D1Database,
  { userId, newAccountId, nowMs }: Pick<Change, 'userId' | 'newAccountId' | 'nowMs'>,
): D1PreparedStatement[] => [
  db
    .prepare(
      `update "user" set account_id = ?2 where "id" = ?1 and not exists
         (select 1 from members m where m.account_id = "user".account_id and m.user_id = ?1 and m.role = 'owner')`,
    )
    .bind(userId, newAccountId),
  db
    .prepare(
      `insert into members (account_id, user_id, role, joined_at)
       select account_id, "id", 'owner', ?3 from "user" where "id" = ?1 and account_id = ?2`,
    )
    .bind(userId, newAccountId, nowMs),
];

/** Who is no owner any more has invited nobody: an invitation must not be a way back. */
const withoutTheirInvitations = (db: D1Database, { accountId, userId }: Change): D1PreparedStatement =>
  db
    .prepare(
      `update invitations set state = 'withdrawn' where account_id = ?1 and invited_by = ?2 and state = 'open'
         and not exists (select 1 from members where account_id = ?1 and user_id = ?2 and role = 'owner')
       returning id, email, role`,
    )
    .bind(accountId, userId);

const change = async (db: D1Database, statement: D1PreparedStatement, asked: Change): Promise<Changed> => {
  const results = await db.batch([statement, ...ownAccountAnew(db, asked), withoutTheirInvitations(db, asked)]);
  if (results[0]?.results.length === 1) return { withdrawn: (results.at(-1)?.results ?? []) as Withdrawn[] };
  const members = await listMembers(db, asked.accountId);
  const isOwner = (id: string) => members.some(({ userId, role }) => userId === id && role === 'owner');
  const isLast = members.filter(({ role }) => role === 'owner').length === 1 && isOwner(asked.userId);
  return isLast && asked.from === 'owner' ? 'last_owner' : 'stale';
};

export const changeRole = (db: D1Database, asked: Change & { readonly role: Role }): Promise<Changed> =>
  change(
    db,
    db
      .prepare(
        `update members set role = ?5
         where ${AS_IT_WAS} and ${BY_AN_OWNER} and (role <> 'owner' or ?5 = 'owner' or ${ANOTHER_OWNER})
         returning user_id`,
      )
      .bind(asked.accountId, asked.userId, asked.from, asked.actorId, asked.role),
    asked,
  );

/** By an owner, or by the member themselves. */
export const removeMember = (db: D1Database, asked: Change): Promise<Changed> =>
  change(
    db,
    db
      .prepare(
        `delete from members
         where ${AS_IT_WAS} and (user_id = ?4 or ${BY_AN_OWNER}) and (role <> 'owner' or ${ANOTHER_OWNER})
         returning user_id`,
      )
      .bind(asked.accountId, asked.userId, asked.from, asked.actorId),
    asked,
  );
