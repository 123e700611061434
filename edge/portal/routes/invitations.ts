/** Invitations, as an account's owners send, send again and withdraw them. */
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { newId } from '../../../shared/ids.ts';
import { limits } from '../../../shared/limits.ts';
import type { InvitationRow } from '../../../shared/portal-api.ts';
import { roles } from '../../../shared/roles.ts';
import { clientAddress } from '../../client-address.ts';
import { edgeLimits } from '../../limits.ts';
import { mailWait, TOO_MANY_MAILS } from '../access/mail-limit.ts';
import { checkPassword } from '../access/passwords.ts';
import { countWithin } from '../counters.ts';
import type { PortalDeps } from '../deps.ts';
import { type PortalContext, refuse, refuseForNow } from '../guard.ts';
import { invitationMail } from '../mail-texts.ts';
import { ownerDid } from '../owner-did.ts';
import { bodyOf } from '../read-body.ts';
import {
  addInvitation,
  findInvitation,
  type Invitation,
  listInvitations,
  renewInvitation,
  withdrawInvitation,
} from '../team/invitations.ts';
import { timeOf } from '../time.ts';

const { passwordCharsMax } = limits.portal;
const { invitationsMax, invitationMails } = edgeLimits.portal.team;
const invitation = z.strictObject({
  email: z.email().max(254).toLowerCase(),
  role: z.enum(roles),
  password: z.string().max(passwordCharsMax).optional(),
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
    .post('/invitations/:id/withdraw', (c) => withdraw(c, deps));

const rowOf = ({ id, email, role, sentAtMs, expiresAtMs }: Invitation, nowMs: number): InvitationRow => ({
  invitation_id: id,
  email,
  role,
  sent_at: timeOf(sentAtMs),
  expires_at: timeOf(expiresAtMs),
  expired: expiresAtMs <= nowMs,
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
  const renewed = await renewInvitation(deps.db, { accountId, actorId, nowMs }, found.id);
  if (renewed === null) return noInvitation();
  if (renewed === 'too_many') return refuse(409, renewed, REFUSALS[renewed]);
  await send(c, deps, found, renewed.token);
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
