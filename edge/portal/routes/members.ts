/** Members of the account: who they are, what they may do, and letting them go. */
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { newId } from '../../../shared/ids.ts';
import { limits } from '../../../shared/limits.ts';
import type { KeyRow, MemberRow } from '../../../shared/portal-api.ts';
import { type Role, roles } from '../../../shared/roles.ts';
import { keysSeenBy } from '../../audit/read.ts';
import type { AuditAction } from '../../audit/record.ts';
import { edgeLimits } from '../../limits.ts';
import { apiKeyOf } from '../../responses/keys.ts';
import { checkPassword } from '../access/passwords.ts';
import { countWithin } from '../counters.ts';
import type { PortalDeps } from '../deps.ts';
import { accountOf, type PortalContext, refuse, refuseForNow } from '../guard.ts';
import { memberLeftMail, memberMail } from '../mail-texts.ts';
import { ownerDid } from '../owner-did.ts';
import { bodyOf } from '../read-body.ts';
import {
  type Changed,
  changeRole,
  findMember,
  listMembers,
  type Member,
  removeMember,
  type Withdrawn,
} from '../team/members.ts';
import { timeOf } from '../time.ts';

const { roleChanges } = edgeLimits.portal.team;
const password = z.string().max(limits.portal.passwordCharsMax).optional();
const roleChange = z.strictObject({ role: z.enum(roles), password });
/** Of a removal, and of leaving. */
const going = z.strictObject({ password });

const rowOf =
  (isOwner: boolean) =>
  ({ userId, email, name, role, joinedAtMs, hasTwoFactor }: Member): MemberRow => ({
    user_id: userId,
    email,
    name,
    role,
    joined_at: timeOf(joinedAtMs),
    two_factor: isOwner ? hasTwoFactor === 1 : null,
  });

const ONLY_PASSWORD = 'The body is {}, or has a password.';
const noMember = (): Response => refuse(404, 'not_found', 'No such member of this account.');
const STALE = 'This member, or your own role, was changed meanwhile. Reload the page.';
const LAST = 'An account keeps at least one owner. Make somebody else an owner first, or delete the account.';
const refusedFor = (changed: Extract<Changed, string>): Response =>
  changed === 'last_owner' ? refuse(409, 'last_owner', LAST) : refuse(409, 'changed_meanwhile', STALE);

export const memberRoutes = (deps: PortalDeps): Hono<PortalContext> =>
  new Hono<PortalContext>()
    .get('/members', async (c) => {
      const { accountId, role } = c.get('user');
      return c.json({ members: (await listMembers(deps.db, accountId)).map(rowOf(role === 'owner')) });
    })
    .get('/members/:id/keys', async (c) => {
      const member = await memberIn(c, deps);
      return member ? c.json({ keys: await keysOf(c, deps, member) }) : noMember();
    })
    .post('/members/leave', (c) => leave(c, deps))
    .post('/members/:id/role', (c) => setRole(c, deps))
    .post('/members/:id/remove', (c) => remove(c, deps));

const memberIn = (c: Context<PortalContext>, { db }: PortalDeps): Promise<Member | null> =>
  findMember(db, c.get('user').accountId, c.req.param('id') ?? '');

/** Keys whose secret this member could have seen, as far as that is on record, and that still work. */
const keysOf = async (c: Context<PortalContext>, deps: PortalDeps, member: Member): Promise<KeyRow[]> => {
  const user = c.get('user');
  const seen = await keysSeenBy(deps.db, user.accountId, member);
  const keys = (await (await accountOf(deps, user)).keys.listKeys()).map(apiKeyOf);
  return keys.filter(({ key_id, revoked_at }) => revoked_at === null && seen.has(key_id));
};

/** To make an owner, or to take that from one, needs the password: a stolen session must not be able to. */
const checkOwnerChange = async (
  c: Context<PortalContext>,
  deps: PortalDeps,
  body: { readonly password?: string | undefined },
  involved: readonly Role[],
): Promise<Response | undefined> => {
  if (!involved.includes('owner')) return undefined;
  if (body.password === undefined) return refuse(400, 'password_needed', 'Your password is needed to change owners.');
  return checkPassword(deps, c.get('user'), body.password, c.req.raw.headers);
};

const askedOf = (c: Context<PortalContext>, { services }: PortalDeps, { userId, role }: Member) => {
  const nowMs = services.clock.nowMs();
  const { accountId, userId: actorId } = c.get('user');
  return { accountId, userId, from: role, actorId, nowMs, newAccountId: newId('account', nowMs, services.randomBytes) };
};

const setRole = async (c: Context<PortalContext>, deps: PortalDeps): Promise<Response> => {
  const body = await bodyOf(c, roleChange);
  if (!body) return refuse(400, 'invalid_request', `role is one of ${roles.join(', ')}.`);
  const member = await memberIn(c, deps);
  if (!member) return noMember();
  if (member.role === body.role) return c.json({ role: body.role });
  const refused = await checkOwnerChange(c, deps, body, [member.role, body.role]);
  if (refused) return refused;
  // Each is a mail to the member and to every owner.
  const wait = await countWithin(deps.db, `roles:${c.get('user').accountId}`, roleChanges, deps.services.clock.nowMs());
  if (wait.waitMs > 0) return refuseForNow('rate_limited', 'Too many changes of roles for one day.', wait);
  const changed = await changeRole(deps.db, { ...askedOf(c, deps, member), role: body.role });
  if (typeof changed === 'string') return refusedFor(changed);
  await noteMember(c, deps, 'members.role_changed', member, `${member.email}: ${member.role} to ${body.role}`);
  await noteWithdrawn(c, deps, changed.withdrawn);
  await deps.afterResponse(
    deps.sendMail(memberMail(member.email, `Your role in a packshot account of your team is ${body.role} now.`)),
  );
  return c.json({ role: body.role });
};

const remove = async (c: Context<PortalContext>, deps: PortalDeps): Promise<Response> => {
  const body = await bodyOf(c, going);
  if (!body) return refuse(400, 'invalid_request', ONLY_PASSWORD);
  const member = await memberIn(c, deps);
  if (!member) return noMember();
  const refused = await checkOwnerChange(c, deps, body, [member.role]);
  if (refused) return refused;
  const changed = await removeMember(deps.db, askedOf(c, deps, member));
  if (typeof changed === 'string') return refusedFor(changed);
  // Read afterwards: a key that they made meanwhile is among them.
  const keys = await keysOf(c, deps, member);
  await noteMember(c, deps, 'members.removed', member, `${member.email}, ${member.role}`);
  await noteWithdrawn(c, deps, changed.withdrawn);
  await deps.afterResponse(deps.sendMail(memberLeftMail(member.email)));
  return c.json({ keys });
};

const leave = async (c: Context<PortalContext>, deps: PortalDeps): Promise<Response> => {
  const body = await bodyOf(c, going);
  if (!body) return refuse(400, 'invalid_request', ONLY_PASSWORD);
  const { accountId, userId } = c.get('user');
  const member = await findMember(deps.db, accountId, userId);
  if (!member) return noMember();
  const refused = await checkOwnerChange(c, deps, body, [member.role]);
  if (refused) return refused;
  const changed = await removeMember(deps.db, askedOf(c, deps, member));
  if (typeof changed === 'string') return refusedFor(changed);
  await noteMember(c, deps, 'members.left', member, `${member.email}, ${member.role}`);
  await noteWithdrawn(c, deps, changed.withdrawn);
  return c.json({ left: true });
};

/** In the log of the session's account, or of another that is named. */
export const noteWithdrawn = async (
  c: Context<PortalContext>,
  deps: PortalDeps,
  withdrawn: readonly Withdrawn[],
  accountId = c.get('user').accountId,
): Promise<void> => {
  for (const { id: subject, email, role } of withdrawn)
    await ownerDid(deps, c, {
      accountId,
      action: 'members.invitation_withdrawn',
      subject,
      detail: `${email}, ${role}`,
    });
};

const WHAT: Readonly<Partial<Record<AuditAction, string>>> = {
  'members.role_changed': 'The role of a member was changed',
  'members.removed': 'A member was removed',
  'members.left': 'A member left',
};

/** Into that account's log, and told to its owners. */
export const noteMember = (
  c: Context<PortalContext>,
  deps: PortalDeps,
  action: AuditAction,
  { userId: subject }: Pick<Member, 'userId'>,
  detail: string,
  accountId = c.get('user').accountId,
): Promise<void> => {
  const what = WHAT[action] ?? action;
  return ownerDid(deps, c, { accountId, action, subject, detail }, { subject: what, what: `${what}: ${detail}.` });
};
