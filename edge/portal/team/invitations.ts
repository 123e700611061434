/** Invitations to an account. Of a link only the SHA-256 is kept; each step is one statement or one transaction. */
import { base64Url } from '../../../shared/base64.ts';
import { sha256 } from '../../../shared/digest.ts';
import type { Role } from '../../../shared/roles.ts';
import { edgeLimits } from '../../limits.ts';
import { accountName, type Person } from './membership.ts';

const { invitationMs, invitationsMax, membersMax, invitationKeptMs } = edgeLimits.portal.team;

export type Invitation = {
  readonly id: string;
  readonly accountId: string;
  readonly email: string;
  readonly role: Role;
  readonly sentAtMs: number;
  readonly expiresAtMs: number;
};
type By = { readonly accountId: string; readonly actorId: string; readonly nowMs: number };

const newToken = (): string => base64Url(crypto.getRandomValues(new Uint8Array(32)));
const BY_AN_OWNER = "exists (select 1 from members a where a.account_id = ?1 and a.user_id = ?2 and a.role = 'owner')";
const IS_MEMBER =
  '(select 1 from members m join "user" u on u."id" = m.user_id where m.account_id = ?1 and u.email = ?5)';
/** ?1 account, ?3 now. */
const IS_ROOM = `(select count(*) from invitations where account_id = ?1 and state = 'open' and expires_at > ?3) < ${invitationsMax}`;
/** ?1 account, ?2 actor, ?3 now, ?4 id, ?5 email, ?6 role, ?7 hash, ?8 end. One that has expired is replaced. */
const ADD = `
  insert into invitations (id, account_id, email, role, token_sha256, invited_by, created_at, expires_at)
  select ?4, ?1, ?5, ?6, ?7, ?2, ?3, ?8
  where ${BY_AN_OWNER} and not exists ${IS_MEMBER} and ${IS_ROOM}
  on conflict (account_id, email) where state = 'open' do update set id = ?4, role = ?6, token_sha256 = ?7, invited_by = ?2,
    created_at = ?3, expires_at = ?8 where invitations.expires_at <= ?3
  returning id`;

export type Added =
  | { readonly result: 'added'; readonly token: string }
  | { readonly result: 'already_member' | 'already_invited' | 'too_many' | 'stale' };

export const addInvitation = async (
  db: D1Database,
  { accountId, actorId, nowMs }: By,
  { id, email, role }: Pick<Invitation, 'id' | 'email' | 'role'>,
): Promise<Added> => {
  const token = newToken();
  const row = await db
    .prepare(ADD)
    .bind(accountId, actorId, nowMs, id, email, role, await sha256(token), nowMs + invitationMs)
    .first();
  if (row) return { result: 'added', token };
  const open = (await listInvitations(db, accountId)).filter(({ expiresAtMs }) => expiresAtMs > nowMs);
  if (open.some((invitation) => invitation.email === email)) return { result: 'already_invited' };
  if (open.length >= invitationsMax) return { result: 'too_many' };
  const member = await db
    .prepare(`select 1 from members m join "user" u on u."id" = m.user_id where m.account_id = ? and u.email = ?`)
    .bind(accountId, email)
    .first();
  return { result: member ? 'already_member' : 'stale' };
};

const COLUMNS = 'id, account_id as accountId, email, role, created_at as sentAtMs, expires_at as expiresAtMs' as const;

/** Those that nobody accepted or withdrew, expired ones too; the newest first. */
export const listInvitations = async (db: D1Database, accountId: string): Promise<Invitation[]> => {
  const { results } = await db
    .prepare(
      `select ${COLUMNS} from invitations where account_id = ? and state = 'open' order by created_at desc limit 100`,
    )
    .bind(accountId)
    .all<Invitation>();
  return results;
};

export const findInvitation = (db: D1Database, accountId: string, id: string): Promise<Invitation | null> =>
  db
    .prepare(`select ${COLUMNS} from invitations where account_id = ? and id = ? and state = 'open'`)
    .bind(accountId, id)
    .first<Invitation>();

/** Another link, for as long again; the one before ends. One that has expired counts anew. Null where it is not open any more. */
export const renewInvitation = async (
  db: D1Database,
  { accountId, actorId, nowMs }: By,
  id: string,
): Promise<{ readonly token: string } | 'too_many' | null> => {
  const token = newToken();
  const row = await db
    .prepare(
      `update invitations set token_sha256 = ?4, created_at = ?3, expires_at = ?5
       where account_id = ?1 and id = ?6 and state = 'open' and ${BY_AN_OWNER} and (expires_at > ?3 or ${IS_ROOM}) returning id`,
    )
    .bind(accountId, actorId, nowMs, await sha256(token), nowMs + invitationMs, id)
    .first();
  if (row) return { token };
  const open = (await listInvitations(db, accountId)).filter(({ expiresAtMs }) => expiresAtMs > nowMs);
  return open.length >= invitationsMax ? 'too_many' : null;
};

/** False where it is not open any more: whoever was first, an acceptance or this, stands. */
export const withdrawInvitation = async (
  db: D1Database,
  { accountId, actorId }: Pick<By, 'accountId' | 'actorId'>,
  id: string,
): Promise<boolean> =>
  (await db
    .prepare(
      `update invitations set state = 'withdrawn'
       where account_id = ?1 and id = ?3 and state = 'open' and ${BY_AN_OWNER} returning id`,
    )
    .bind(accountId, actorId, id)
    .first()) !== null;

export type Link = Invitation & {
  readonly state: 'open' | 'accepted' | 'withdrawn';
  readonly account: string;
  readonly members: number;
};

/** What a link stands for, whatever became of it; null for one that was never sent, was replaced, or is long over. */
export const readLinkOf = async (db: D1Database, token: string): Promise<Link | null> =>
  db
    .prepare(
      `select ${COLUMNS}, state, ${accountName('invitations.account_id')} as account,
         (select count(*) from members m where m.account_id = invitations.account_id) as members
       from invitations where token_sha256 = ?`,
    )
    .bind(await sha256(token))
    .first<Link>();

/** ?1 hash, ?2 user, ?3 now. */
const OPEN_FOR_USER = `
  token_sha256 = ?1 and state = 'open' and expires_at > ?3
  and email = (select email from "user" where "id" = ?2 and "emailVerified" = 1)`;

/**
 * Makes the user a member and puts their session, where there is one, into the account; one transaction. False where
 * the invitation is not open for this user's address, or the account is full.
 */
export const acceptInvitation = async (
  db: D1Database,
  token: string,
  { userId, sessionId }: Pick<Person, 'userId'> & { readonly sessionId: string | null },
  nowMs: number,
): Promise<boolean> => {
  const hash = await sha256(token);
  const [, accepted] = await db.batch([
    db
      .prepare(
        `insert into members (account_id, user_id, role, joined_at, chosen_at)
         select account_id, ?2, role, ?3, ?3 from invitations i where ${OPEN_FOR_USER}
           and (select count(*) from members m where m.account_id = i.account_id) < ${membersMax}
         on conflict (account_id, user_id) do nothing`,
      )
      .bind(hash, userId, nowMs),
    db
      .prepare(
        `update invitations set state = 'accepted' where ${OPEN_FOR_USER}
           and exists (select 1 from members m where m.account_id = invitations.account_id and m.user_id = ?2)
         returning id`,
      )
      .bind(hash, userId, nowMs),
    db
      .prepare(
        `update "session" set account_id = (select account_id from invitations where token_sha256 = ?1)
         where "id" = ?2 and "userId" = ?3 and exists (select 1 from invitations i join members m on m.account_id = i.account_id
           where i.token_sha256 = ?1 and i.state = 'accepted' and m.user_id = ?3)`,
      )
      .bind(hash, sessionId, userId),
  ]);
  return accepted?.results.length === 1;
};

/** When the answer of a link that is over is forgotten, with its address. */
export const forgottenBefore = (nowMs: number): number => nowMs - invitationKeptMs;
