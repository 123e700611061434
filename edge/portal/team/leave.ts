/** What becomes of memberships when an account or a user is deleted. */
import type { Role } from '../../../shared/roles.ts';
import { listMembers, type Member, ownAccountAnew, removeMember, type Withdrawn } from './members.ts';

type Membership = { readonly accountId: string; readonly role: Role };
type Left = Membership & { readonly withdrawn: readonly Withdrawn[] };

/**
 * The user leaves every account but their own. `kept`: those whose last owner they are, which they do not leave: nobody
 * could act for those any more. Where there is one at the start, they leave none.
 */
export const leaveOthers = async (
  db: D1Database,
  { userId, ownAccountId }: { readonly userId: string; readonly ownAccountId: string },
  newAccountId: string,
  nowMs: number,
): Promise<{ readonly left: readonly Left[]; readonly kept: readonly string[] }> => {
  const { results } = await db
    .prepare(
      `select account_id as accountId, role,
         role = 'owner' and not exists (select 1 from members o where o.account_id = m.account_id and o.role = 'owner' and o.user_id <> ?1) as isLast
       from members m where user_id = ?1 and account_id <> ?2`,
    )
    .bind(userId, ownAccountId)
    .all<Membership & { readonly isLast: 0 | 1 }>();
  const last = results.filter(({ isLast }) => isLast === 1);
  if (last.length > 0) return { left: [], kept: last.map(({ accountId }) => accountId) };
  const left: Left[] = [];
  const kept: string[] = [];
  for (const { accountId, role } of results) {
    const asked = { accountId, userId, from: role, actorId: userId, newAccountId, nowMs };
    const changed = await removeMember(db, asked);
    if (changed === 'last_owner') kept.push(accountId);
    else if (changed !== 'stale') left.push({ accountId, role, withdrawn: changed.withdrawn });
  }
  return { left, kept };
};

const IS_OWNER = "select 1 from members a where a.account_id = ?1 and a.user_id = ?2 and a.role = 'owner'";

/**
 * Ends what everybody but the owner who asks has of an account, and its invitations; answers who they were. Null where
 * whoever asks owns it no more, as when another owner was first: nothing is changed then. One transaction.
 */
export const endOtherMemberships = async (
  db: D1Database,
  { accountId, ownerId }: { readonly accountId: string; readonly ownerId: string },
  newAccountId: () => string,
  nowMs: number,
): Promise<readonly Member[] | null> => {
  const members = await listMembers(db, accountId);
  const founder = await db
    .prepare('select "id" from "user" where account_id = ? and "id" <> ?')
    .bind(accountId, ownerId)
    .first<{ id: string }>();
  const [owner] = await db.batch([
    db.prepare(IS_OWNER).bind(accountId, ownerId),
    db
      .prepare(`delete from members where account_id = ?1 and user_id <> ?2 and exists (${IS_OWNER})`)
      .bind(accountId, ownerId),
    db.prepare(`delete from invitations where account_id = ?1 and exists (${IS_OWNER})`).bind(accountId, ownerId),
    ...(founder ? ownAccountAnew(db, { userId: founder.id, newAccountId: newAccountId(), nowMs }) : []),
  ]);
  return owner?.results.length === 1 ? members.filter(({ userId }) => userId !== ownerId) : null;
};

/** Of an account that is deleted, once `endOtherMemberships` has let everybody else go. */
export const endLastMembership = async (db: D1Database, accountId: string): Promise<void> => {
  await db.batch(
    ['members', 'invitations'].map((table) => db.prepare(`delete from ${table} where account_id = ?`).bind(accountId)),
  );
};
