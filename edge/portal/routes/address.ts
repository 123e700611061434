/** Changing the mail address: asked for with the password, confirmed at the new address, told to the old one twice. */

import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { limits } from '../../../shared/limits.ts';
import { clientOf } from '../../audit/record.ts';
import { clientAddress } from '../../client-address.ts';
import { mailWait, TOO_MANY_MAILS } from '../access/mail-limit.ts';
import { addLink, endLinksOf, takeLink } from '../access/mailed-links.ts';
import { checkPassword } from '../access/passwords.ts';
import { forgetAccount, rememberNetwork } from '../access/sign-in-limit.ts';
import type { PortalDeps } from '../deps.ts';
import { type PortalContext, refuse, refuseForNow } from '../guard.ts';
import { addressAskedMail, addressChangedMail, addressMail, alreadyRegisteredMail } from '../mail-texts.ts';
import { personDid } from '../owner-did.ts';
import { bodyOf } from '../read-body.ts';

const change = z.strictObject({
  email: z.email().max(254).toLowerCase(),
  password: z.string().max(limits.portal.passwordCharsMax),
});
const confirmation = z.strictObject({ token: z.string().max(100) });

export const addressRoutes = (deps: PortalDeps): Hono<PortalContext> =>
  new Hono<PortalContext>().post('/account/address', (c) => askForChange(c, deps));

/** Needs no session: the link may be opened on another device than the one that asked. */
export const confirmAddressRoute = (deps: PortalDeps): Hono =>
  new Hono().post('/address/confirm', (c) => confirmChange(c, deps));

const askForChange = async (c: Context<PortalContext>, deps: PortalDeps): Promise<Response> => {
  const { db, services, settings, sendMail } = deps;
  const body = await bodyOf(c, change);
  if (!body) return refuse(400, 'invalid_request', 'A mail address and the password are needed.');
  const user = c.get('user');
  const nowMs = services.clock.nowMs();
  const refused = await checkPassword(deps, user, body.password, c.req.raw.headers);
  if (refused) return refused;
  const wait = await mailWait(
    db,
    { kind: 'confirm', recipient: body.email, address: clientAddress(c.req.raw.headers) },
    nowMs,
  );
  if (wait.waitMs > 0) return refuseForNow('too_many_mails', TOO_MANY_MAILS, wait);
  const send = async (): Promise<void> => {
    const { internalAdapter } = await deps.auth.$context;
    await sendMail(addressAskedMail(user.email, body.email));
    if (await internalAdapter.findUserByEmail(body.email))
      return sendMail(alreadyRegisteredMail(body.email, `${settings.publicBaseUrl}/sign-in`));
    const token = await addLink(db, { kind: 'address', email: body.email, userId: user.userId }, nowMs);
    return sendMail(addressMail(body.email, `${settings.publicBaseUrl}/confirm-address?token=${token}`));
  };
  await personDid(deps, c, { action: 'access.address_asked', detail: body.email });
  await deps.afterResponse(send());
  return c.json({ sent: true }, 202);
};

const confirmChange = async (c: Context, deps: PortalDeps): Promise<Response> => {
  const { db, services, sendMail } = deps;
  const nowMs = services.clock.nowMs();
  const body = await bodyOf(c, confirmation);
  const link = body && (await takeLink(db, 'address', body.token, nowMs));
  if (!link) return refuse(400, 'invalid_link', 'This link was already used or has expired. Ask for a new one.');
  const { internalAdapter } = await deps.auth.$context;
  const user = await internalAdapter.findUserById(link.userId);
  if (!user || (await internalAdapter.findUserByEmail(link.email)))
    return refuse(409, 'address_taken', 'This address already has an account.');
  await internalAdapter.updateUser(user.id, { email: link.email });
  // What was mailed to the old address must not open the account any more.
  await endLinksOf(db, user.id, link.email);
  await forgetAccount(db, user.email);
  await rememberNetwork(db, { email: link.email, address: clientAddress(c.req.raw.headers) }, nowMs);
  await deps.audit({
    of: { userId: user.id },
    actor: 'owner',
    action: 'access.address_changed',
    detail: `${user.email} to ${link.email}`,
    client: clientOf(c.req.raw.headers),
  });
  await deps.afterResponse(sendMail(addressChangedMail(user.email, link.email)));
  return c.json({ email: link.email });
};
