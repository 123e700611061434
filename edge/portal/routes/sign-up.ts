/**
 * Registering: a mail address first, and only with the link in its mail a name and a password. Until then nothing
 * exists that somebody else could have prepared.
 */

import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { limits } from '../../../shared/limits.ts';
import { clientOf } from '../../audit/record.ts';
import { clientAddress } from '../../client-address.ts';
import { BREACHED, isBreached } from '../access/breached.ts';
import { mailWait, TOO_MANY_MAILS } from '../access/mail-limit.ts';
import { addLink, endLinksOf, readLink, takeLink } from '../access/mailed-links.ts';
import { rememberNetwork } from '../access/sign-in-limit.ts';
import type { PortalDeps } from '../deps.ts';
import { refuse, refuseForNow } from '../guard.ts';
import { alreadyRegisteredMail, signUpMail } from '../mail-texts.ts';
import { bodyOf } from '../read-body.ts';

const { passwordCharsMin, passwordCharsMax, nameCharsMax } = limits.portal;
const registration = z.strictObject({ email: z.email().max(254).toLowerCase() });
/** One line that reads as it is written: other members see it. */
const name = z
  .string()
  .trim()
  .regex(/^[^\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+$/u)
  .max(nameCharsMax);
const completion = z.strictObject({
  token: z.string().max(100),
  name,
  password: z.string().min(passwordCharsMin).max(passwordCharsMax),
});

/** Who registers with the link of a mail, and how: the body, or its refusal. */
export const completionOf = async (c: Context, deps: PortalDeps): Promise<z.infer<typeof completion> | Response> => {
  const body = await bodyOf(c, completion);
  if (!body)
    return refuse(
      400,
      'invalid_request',
      `A name of one line, and a password of at least ${passwordCharsMin} characters.`,
    );
  return (await isBreached(body.password, deps.settings.breachedPasswordsUrl))
    ? refuse(400, 'breached_password', BREACHED)
    : body;
};

const NO_LINK = 'This link was already used or has expired. Register again to get a new one.';

/** Needs no session. */
export const signUpRoutes = (deps: PortalDeps): Hono =>
  new Hono()
    .post('/sign-up', (c) => startSignUp(c, deps))
    .post('/sign-up/link', async (c) => {
      const body = await bodyOf(c, completion.pick({ token: true }));
      const link = body && (await readLink(deps.db, 'sign_up', body.token, deps.services.clock.nowMs()));
      return link ? c.json({ email: link.email }) : refuse(400, 'invalid_link', NO_LINK);
    })
    .post('/sign-up/complete', (c) => completeSignUp(c, deps));

/** The answer is the same, and as fast, whether or not the address has an account; only its owner learns that. */
const startSignUp = async (c: Context, deps: PortalDeps): Promise<Response> => {
  const body = await bodyOf(c, registration);
  if (!body) return refuse(400, 'invalid_request', 'A mail address is needed.');
  const { email } = body;
  const wait = await mailWait(
    deps.db,
    { kind: 'confirm', recipient: email, address: clientAddress(c.req.raw.headers) },
    nowMsOf(deps),
  );
  if (wait.waitMs > 0) return refuseForNow('too_many_mails', TOO_MANY_MAILS, wait);
  await deps.afterResponse(sendSignUpMail(email, deps));
  return c.json({ sent: true }, 202);
};

const nowMsOf = ({ services }: PortalDeps): number => services.clock.nowMs();

const sendSignUpMail = async (email: string, deps: PortalDeps): Promise<void> => {
  const { db, settings, sendMail } = deps;
  const { internalAdapter } = await deps.auth.$context;
  if (await internalAdapter.findUserByEmail(email))
    return sendMail(alreadyRegisteredMail(email, `${settings.publicBaseUrl}/sign-in`));
  const token = await addLink(db, { kind: 'sign_up', email, userId: null }, nowMsOf(deps));
  return sendMail(signUpMail(email, `${settings.publicBaseUrl}/sign-up/complete?token=${token}`));
};

/** Makes the user, and signs in. */
const completeSignUp = async (c: Context, deps: PortalDeps): Promise<Response> => {
  const body = await completionOf(c, deps);
  if (body instanceof Response) return body;
  const { name, password } = body;
  const link = await takeLink(deps.db, 'sign_up', body.token, nowMsOf(deps));
  if (!link) return refuse(400, 'invalid_link', NO_LINK);
  const { email } = link;
  if ((await makeUser(c, deps, { email, name, password })) === undefined)
    return refuse(409, 'already_registered', 'This address has an account. Sign in, or reset its password.');
  return deps.auth.api.signInEmail({ body: { email, password }, headers: c.req.raw.headers, asResponse: true });
};

type NewUser = { readonly email: string; readonly name: string; readonly password: string };

/** The id of a new user whose address is proved; undefined where the address has a user. */
export const makeUser = async (
  c: Context,
  deps: PortalDeps,
  { email, name, password }: NewUser,
): Promise<string | undefined> => {
  const { internalAdapter, password: passwords } = await deps.auth.$context;
  if (await internalAdapter.findUserByEmail(email)) return undefined;
  const hash = await passwords.hash(password);
  const made = await internalAdapter
    .createUser({ email, name, emailVerified: true }, { method: 'email-password' })
    .catch(async (error: unknown) => {
      // Another call with the same link was first.
      if (await internalAdapter.findUserByEmail(email)) return undefined;
      throw error;
    });
  if (!made) return undefined;
  await internalAdapter.linkAccount({ userId: made.id, accountId: made.id, providerId: 'credential', password: hash });
  await endLinksOf(deps.db, made.id, email);
  const client = clientOf(c.req.raw.headers);
  await deps.audit({ of: { userId: made.id }, actor: 'owner', action: 'access.registered', client });
  await rememberNetwork(deps.db, { email, address: clientAddress(c.req.raw.headers) }, nowMsOf(deps));
  return made.id;
};
