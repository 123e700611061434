/**
 * The link of an invitation: accepted by whoever has it and signs in with the invited address, or registers by it, which
 * proves that the address is theirs.
 */
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import type { InvitationLink } from '../../../shared/portal-api.ts';
import { clientOf } from '../../audit/record.ts';
import { edgeLimits } from '../../limits.ts';
import type { PortalDeps } from '../deps.ts';
import { type PortalContext, refuse } from '../guard.ts';
import { sendAll } from '../mail.ts';
import { registeredByInvitationMail, teamMail } from '../mail-texts.ts';
import { bodyOf } from '../read-body.ts';
import { acceptInvitation, type Link, readLinkOf } from '../team/invitations.ts';
import { addressesOf, findMember } from '../team/members.ts';
import { timeOf } from '../time.ts';
import { completionOf, makeUser } from './sign-up.ts';

const { membersMax } = edgeLimits.portal.team;
const link = z.strictObject({ token: z.string().max(100) });

/** Need no session. */
export const invitedRoutes = (deps: PortalDeps): Hono =>
  new Hono()
    .post('/invitations/link', async (c) => {
      const body = await bodyOf(c, link);
      const found = await openLink(deps, body?.token);
      return found instanceof Response ? found : c.json(linkRow(found));
    })
    .post('/invitations/sign-up', (c) => signUpInvited(c, deps));

export const acceptRoute = (deps: PortalDeps): Hono<PortalContext> =>
  new Hono<PortalContext>().post('/invitations/accept', (c) => accept(c, deps));

const linkRow = ({ email, role, account, expiresAtMs }: Link): InvitationLink => ({
  email,
  role,
  account,
  expires_at: timeOf(expiresAtMs),
});

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
  const mails = owners.map((owner) => teamMail(owner.email, 'A member joined your account', what));
  await deps.afterResponse(sendAll(deps.sendMail, mails));
};

/** Makes the user, whose own account is not opened by that, and the membership; then signs in. */
const signUpInvited = async (c: Context, deps: PortalDeps): Promise<Response> => {
  const body = await completionOf(c, deps);
  if (body instanceof Response) return body;
  const { token, password } = body;
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
