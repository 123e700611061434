/** What becomes of memberships when an account or a user is deleted. */
import { listMembers, type Member, ownAccountAnew, removeMember } from './members.ts';

/**
 * The user leaves every account but their own. Answers the accounts whose last owner they are, which they do not leave:
 * nobody could act for those any more.
 */
export const leaveOthers = async (
  db: D1Database,
  { userId, ownAccountId }: { readonly userId: string; readonly ownAccountId: string },
  newAccountId: string,
  nowMs: number,
): Promise<readonly string[]> => {
  const { results } = await db
    .prepare(
      `select account_id as accountId, role as "from",
         role = 'owner' and not exists (select 1 from members o where o.account_id = m.account_id and o.role = 'owner' and o.user_id <> ?1) as isLast
       from members m where user_id = ?1 and account_id <> ?2`,
    )
    .bind(userId, ownAccountId)
    .all<{ accountId: string; from: Member['role']; isLast: 0 | 1 }>();
  const last = results.filter(({ isLast }) => isLast === 1);
  if (last.length > 0) return last.map(({ accountId }) => accountId);
  const kept: string[] = [];
  for (const { accountId, from } of results) {
    const asked = { accountId, userId, from, actorId: userId, newAccountId, nowMs };
    if ((await removeMember(db, asked)) === 'last_owner') kept.push(accountId);
  }
  return kept;
};

/** Ends what everybody but `keptUserId` has of an account, and its invitations; answers who they were. One transaction. */
export const endMemberships = async (
  db: D1Database,
  accountId: string,
  keptUserId: string | null,
  newAccountId: () => string,
  nowMs: number,
): Promise<readonly Member[]> => {
  const others = (await listMembers(db, accountId)).filter(({ userId }) => userId !== keptUserId);
  const founder = await db
    .prepare('select "id" from "user" where account_id = ?1 and "id" is not ?2')
    .bind(accountId, keptUserId)
    .first<{ id: string }>();
  await db.batch([
    db.prepare('delete from members where account_id = ?1 and user_id is not ?2').bind(accountId, keptUserId),
    db.prepare('delete from invitations where account_id = ?').bind(accountId),
    ...(founder ? ownAccountAnew(db, { userId: founder.id, newAccountId: newAccountId(), nowMs }) : []),
  ]);
  return others;
};
