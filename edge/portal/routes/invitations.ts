/**
 * Invitations: sent, sent again and withdrawn by owners; accepted by whoever has the mailed link and signs in with the
 * invited address, or registers by the link, which proves that the address is theirs.
 */
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { newId } from '../../../shared/ids.ts';
import { limits } from '../../../shared/limits.ts';
import type { InvitationLink, InvitationRow } from '../../../shared/portal-api.ts';
import { roles } from '../../../shared/roles.ts';
import { clientOf } from '../../audit/record.ts';
import { clientAddress } from '../../client-address.ts';
import { edgeLimits } from '../../limits.ts';
import { BREACHED, isBreached } from '../access/breached.ts';
import { mailWait, TOO_MANY_MAILS } from '../access/mail-limit.ts';
import { checkPassword } from '../access/passwords.ts';
import { countWithin } from '../counters.ts';
import type { PortalDeps } from '../deps.ts';
import { type PortalContext, refuse, refuseForNow } from '../guard.ts';
import { invitationMail, registeredByInvitationMail, teamMail } from '../mail-texts.ts';
import { ownerDid } from '../owner-did.ts';
import { bodyOf } from '../read-body.ts';
import {
  acceptInvitation,
  addInvitation,
  findInvitation,
  type Invitation,
  type Link,
  listInvitations,
  readLinkOf,
  renewInvitation,
  withdrawInvitation,
} from '../team/invitations.ts';
import { addressesOf, findMember } from '../team/members.ts';
import { timeOf } from '../time.ts';
import { makeUser } from './sign-up.ts';

const { passwordCharsMin, passwordCharsMax, nameCharsMax } = limits.portal;
const { invitationsMax, membersMax, invitationMails } = edgeLimits.portal.team;
const invitation = z.strictObject({
  email: z.email().max(254).toLowerCase(),
  role: z.enum(roles),
  password: z.string().max(passwordCharsMax).optional(),
});
const link = z.strictObject({ token: z.string().max(100) });
const registration = z.strictObject({
  token: z.string().max(100),
  name: z.string().trim().min(1).max(nameCharsMax),
  password: z.string().min(passwordCharsMin).max(passwordCharsMax),
});

export const invitationRoutes = (deps: PortalDeps): Hono<PortalContext> =>
  new Hono<PortalContext>()
    .get('/invitations', async (c) => {
      const nowMs = deps.services.clock.nowMs();
      const rows = await listInvitations(deps.db, c.get('user').accountId);
      return c.json({ invitations: rows.map((row) => rowOf(row, nowMs)) });
    })
    .post('/invitations', (c) => invite(c, deps))
    .post('/invitations/:id/resend', (c) => resend(c, deps))
    .post('/invitations/:id/withdraw', (c) => withdraw(c, deps))
    .post('/invitations/accept', (c) => accept(c, deps));

/** Need no session. */
export const invitedRoutes = (deps: PortalDeps): Hono =>
  new Hono()
    .post('/invitations/link', async (c) => {
      const body = await bodyOf(c, link);
      const found = await openLink(deps, body?.token);
      return found instanceof Response ? found : c.json(linkRow(found));
    })
    .post('/invitations/sign-up', (c) => signUpInvited(c, deps));

const rowOf = ({ id, email, role, sentAtMs, expiresAtMs }: Invitation, nowMs: number): InvitationRow => ({
  invitation_id: id,
  email,
  role,
  sent_at: timeOf(sentAtMs),
  expires_at: timeOf(expiresAtMs),
  expired: expiresAtMs <= nowMs,
});
const linkRow = ({ email, role, account, expiresAtMs }: Link): InvitationLink => ({
  email,
  role,
  account,
  expires_at: timeOf(expiresAtMs),
});

const noInvitation = (): Response => refuse(404, 'not_found', 'No such open invitation.');

/** Counted before anything is written; the answer is the same whether or not the address has a user. */
const mayMail = async (c: Context<PortalContext>, deps: PortalDeps, email: string): Promise<Response | undefined> => {
  const nowMs = deps.services.clock.nowMs();
  const ofAccount = await countWithin(deps.db, `invitations:${c.get('user').accountId}`, invitationMails, nowMs);
  if (ofAccount.waitMs > 0) return refuseForNow('too_many_mails', 'Too many invitations for one day.', ofAccount);
  const address = clientAddress(c.req.raw.headers);
  const wait = await mailWait(deps.db, { kind: 'invite', recipient: email, address }, nowMs);
  return wait.waitMs > 0 ? refuseForNow('too_many_mails', TOO_MANY_MAILS, wait) : undefined;
};

const send = (
  c: Context<PortalContext>,
  { settings, sendMail, afterResponse }: PortalDeps,
  { email, role }: Pick<Invitation, 'email' | 'role'>,
  token: string,
): Promise<void> =>
  afterResponse(
    sendMail(
      invitationMail(email, {
        by: c.get('user').email,
        role,
        url: `${settings.publicBaseUrl}/invitation?token=${token}`,
      }),
    ),
  );

const REFUSALS = {
  already_member: 'This address belongs to a member of the account already.',
  already_invited: 'This address is invited already. Send the invitation again, or withdraw it.',
  too_many: `An account has at most ${invitationsMax} open invitations. Withdraw one first.`,
  stale: 'Your role was changed meanwhile. Reload the page.',
};

const invite = async (c: Context<PortalContext>, deps: PortalDeps): Promise<Response> => {
  const body = await bodyOf(c, invitation);
  if (!body)
    return refuse(
      400,
      'invalid_request',
      `A mail address and a role (${roles.join(', ')}) are needed, and nothing else.`,
    );
  const user = c.get('user');
  // A stolen session must not be able to make somebody an owner.
  if (body.role === 'owner') {
    if (body.password === undefined)
      return refuse(400, 'password_needed', 'Your password is needed to invite an owner.');
    const wrong = await checkPassword(deps, user, body.password, c.req.raw.headers);
    if (wrong) return wrong;
  }
  const refused = await mayMail(c, deps, body.email);
  if (refused) return refused;
  const { clock, randomBytes } = deps.services;
  const nowMs = clock.nowMs();
  const id = newId('invitation', nowMs, randomBytes);
  const { email, role } = body;
  const by = { accountId: user.accountId, actorId: user.userId, nowMs };
  const added = await addInvitation(deps.db, by, { id, email, role });
  if (added.result !== 'added') return refuse(409, added.result, REFUSALS[added.result]);
  await send(c, deps, body, added.token);
  const what = 'Somebody was invited';
  await ownerDid(
    deps,
    c,
    { action: 'members.invited', subject: id, detail: `${email}, ${role}` },
    role === 'owner' ? { subject: what, what: `${what} to your packshot account: ${email}, as owner.` } : undefined,
  );
  return c.json({ invitation_id: id }, 201);
};

const resend = async (c: Context<PortalContext>, deps: PortalDeps): Promise<Response> => {
  const { accountId, userId: actorId } = c.get('user');
  const found = await findInvitation(deps.db, accountId, c.req.param('id') ?? '');
  if (!found) return noInvitation();
  const refused = await mayMail(c, deps, found.email);
  if (refused) return refused;
  const nowMs = deps.services.clock.nowMs();
  const token = await renewInvitation(deps.db, { accountId, actorId, nowMs }, found.id);
  if (token === null) return noInvitation();
  await send(c, deps, found, token);
  await ownerDid(deps, c, {
    action: 'members.invited_again',
    subject: found.id,
    detail: `${found.email}, ${found.role}`,
  });
  return c.json({ sent: true });
};

const withdraw = async (c: Context<PortalContext>, deps: PortalDeps): Promise<Response> => {
  const { accountId, userId: actorId } = c.get('user');
  const found = await findInvitation(deps.db, accountId, c.req.param('id') ?? '');
  if (!found || !(await withdrawInvitation(deps.db, { accountId, actorId }, found.id))) return noInvitation();
  await ownerDid(deps, c, {
    action: 'members.invitation_withdrawn',
    subject: found.id,
    detail: `${found.email}, ${found.role}`,
  });
  return c.json({ withdrawn: true });
};

const NO_LINK =
  'This link is not valid, or was replaced by a newer one. Look for the newest mail, or ask to be invited again.';

/** The invitation behind a link while it can be accepted; the refusal otherwise. */
const openLink = async ({ db, services }: PortalDeps, token: string | undefined): Promise<Link | Response> => {
  const found = token === undefined ? null : await readLinkOf(db, token);
  if (!found) return refuse(400, 'invalid_link', NO_LINK);
  if (found.state === 'accepted')
    return refuse(409, 'invitation_accepted', 'This invitation was accepted already. Sign in to open the account.');
  if (found.state === 'withdrawn')
    return refuse(410, 'invitation_withdrawn', 'This invitation was withdrawn. Ask whoever invited you.');
  if (found.expiresAtMs <= services.clock.nowMs())
    return refuse(410, 'invitation_expired', 'This invitation has expired. Ask to be invited again.');
  if (found.members >= membersMax)
    return refuse(409, 'too_many_members', `The account has ${membersMax} members, which is the most there can be.`);
  return found;
};

const accept = async (c: Context<PortalContext>, deps: PortalDeps): Promise<Response> => {
  const body = await bodyOf(c, link);
  const found = await openLink(deps, body?.token);
  if (found instanceof Response) return found;
  const user = c.get('user');
  if (user.email !== found.email)
    return refuse(
      403,
      'other_address',
      `This invitation is for ${found.email}. Sign in with that address to accept it.`,
    );
  // Of who changed their address: an invitation lets in, it changes no role.
  if (await findMember(deps.db, found.accountId, user.userId))
    return refuse(409, 'already_member', 'You are a member of this account already. An owner can change your role.');
  const nowMs = deps.services.clock.nowMs();
  if (!(await acceptInvitation(deps.db, body?.token ?? '', user, nowMs))) return whyNot(deps, body?.token);
  await joined(c, deps, found, user.userId);
  return c.json({ account_id: found.accountId });
};

/** Of a link that was open a moment ago. */
const whyNot = async (deps: PortalDeps, token: string | undefined): Promise<Response> => {
  const now = await openLink(deps, token);
  return now instanceof Response ? now : refuse(403, 'other_address', 'This invitation is for another address.');
};

const joined = async (
  c: Context,
  deps: PortalDeps,
  { accountId, email, role }: Link,
  userId: string,
): Promise<void> => {
  const deed = { action: 'members.joined', subject: userId, detail: `${email}, ${role}` } as const;
  await deps.audit({ of: { accountId }, actor: 'owner', by: userId, ...deed, client: clientOf(c.req.raw.headers) });
  const owners = (await addressesOf(deps.db, accountId, ['owner'])).filter((owner) => owner.userId !== userId);
  const what = `${email} accepted the invitation to your packshot account, as ${role}.`;
  await deps.afterResponse(
    Promise.all(owners.map((owner) => deps.sendMail(teamMail(owner.email, 'A member joined your account', what)))),
  );
};

/** Makes the user, whose own account is not opened by that, and the membership; then signs in. */
const signUpInvited = async (c: Context, deps: PortalDeps): Promise<Response> => {
  const body = await bodyOf(c, registration);
  if (!body)
    return refuse(400, 'invalid_request', `A name, and a password of at least ${passwordCharsMin} characters.`);
  const { token, password } = body;
  if (await isBreached(password, deps.settings.breachedPasswordsUrl)) return refuse(400, 'breached_password', BREACHED);
  const found = await openLink(deps, token);
  if (found instanceof Response) return found;
  const { email } = found;
  const userId = await makeUser(c, deps, { email, name: body.name, password });
  if (userId === undefined)
    return refuse(409, 'already_registered', 'This address has a user already. Sign in to accept the invitation.');
  // Whoever had the link registered: the mailbox's owner learns of it, should that be somebody else.
  await deps.afterResponse(deps.sendMail(registeredByInvitationMail(email)));
  const nowMs = deps.services.clock.nowMs();
  if (!(await acceptInvitation(deps.db, token, { userId, sessionId: null }, nowMs))) return whyNot(deps, token);
  await joined(c, deps, found, userId);
  return deps.auth.api.signInEmail({ body: { email, password }, headers: c.req.raw.headers, asResponse: true });
};
