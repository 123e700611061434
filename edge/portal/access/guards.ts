/** What better-auth's own routes pass before they run, and what follows once they have: limits, and who is known. */
import type { GenericEndpointContext } from 'better-auth';
import { APIError, createAuthMiddleware, getSessionFromCtx } from 'better-auth/api';
import { type AuditAction, clientOf, type RecordAudit } from '../../audit/record.ts';
import { clientAddress } from '../../client-address.ts';
import { retryAfterSeconds, type Wait } from '../counters.ts';
import type { SendMail } from '../mail.ts';
import { passwordChangedMail, securityMail } from '../mail-texts.ts';
import type { PortalSettings } from '../settings.ts';
import { BREACHED, isBreached } from './breached.ts';
import { knownDevice, rememberDevice } from './known-device.ts';
import { mailWait, TOO_MANY_MAILS } from './mail-limit.ts';
import { endLinksOf } from './mailed-links.ts';
import { forgetTries, passwordWait, rememberNetwork, signInWait } from './sign-in-limit.ts';

type GuardDeps = {
  readonly db: D1Database;
  readonly nowMs: () => number;
  readonly sendMail: SendMail;
  readonly audit: RecordAudit;
  readonly settings: Pick<PortalSettings, 'breachedPasswordsUrl'>;
};

const tooMany = (code: string, message: string, wait: Wait): APIError =>
  new APIError('TOO_MANY_REQUESTS', { code, message }, { 'retry-after': String(retryAfterSeconds(wait)) });

const tooManyTries = (wait: Wait): APIError =>
  tooMany(
    'TOO_MANY_ATTEMPTS',
    'Too many attempts. Wait a little, or reset the password: whoever opens the mailed link can sign in at once.',
    wait,
  );
const tooManyMails = (wait: Wait): APIError => tooMany('TOO_MANY_MAILS', TOO_MANY_MAILS, wait);

type Guard = (ctx: GenericEndpointContext, deps: GuardDeps) => Promise<unknown>;

const emailIn = (ctx: GenericEndpointContext): string => (typeof ctx.body?.email === 'string' ? ctx.body.email : '');

const refuseBreached = async (ctx: GenericEndpointContext, { settings }: GuardDeps): Promise<void> => {
  const password: unknown = ctx.body?.newPassword;
  if (typeof password === 'string' && (await isBreached(password, settings.breachedPasswordsUrl)))
    throw new APIError('BAD_REQUEST', { code: 'BREACHED_PASSWORD', message: BREACHED });
};

/** Whoever holds a stolen session must not be able to guess the password with it. */
const countPassword = async (ctx: GenericEndpointContext, { db, nowMs }: GuardDeps): Promise<void> => {
  const session = await getSessionFromCtx(ctx);
  if (!session) return;
  const wait = await passwordWait(db, session.user.id, nowMs());
  if (wait.waitMs > 0) throw tooManyTries(wait);
};

const before: Readonly<Record<string, Guard>> = {
  '/sign-in/email': async (ctx, { db, nowMs }) => {
    const email = emailIn(ctx);
    const device = await knownDevice(ctx, email, nowMs());
    const wait = await signInWait(db, { email, address: clientAddress(ctx.headers), device }, nowMs());
    if (wait.waitMs > 0) throw tooManyTries(wait);
  },
  '/request-password-reset': async (ctx, { db, nowMs }) => {
    const request = { kind: 'reset', recipient: emailIn(ctx), address: clientAddress(ctx.headers) } as const;
    const wait = await mailWait(db, request, nowMs());
    if (wait.waitMs > 0) throw tooManyMails(wait);
  },
  '/reset-password': refuseBreached,
  // Other sessions always end.
  '/change-password': async (ctx, deps) => {
    await countPassword(ctx, deps);
    await refuseBreached(ctx, deps);
    return { context: { body: { ...ctx.body, revokeOtherSessions: true } } };
  },
  '/two-factor/enable': countPassword,
  '/two-factor/disable': countPassword,
  '/two-factor/generate-backup-codes': countPassword,
};

/** Its device and network are known from now on, and the count of wrong passwords from there ends. */
const remember: Guard = async (ctx, { db, nowMs, audit }) => {
  const user = ctx.context.newSession?.user;
  if (!user) return;
  const { email } = user;
  const address = clientAddress(ctx.headers);
  await forgetTries(db, { email, address, device: await knownDevice(ctx, email, nowMs()) });
  // Of a sign-in that goes on with a second factor, the password alone makes nothing known.
  if (ctx.path === '/sign-in/email' && user['twoFactorEnabled']) return;
  const detail = SIGN_INS[ctx.path];
  await audit({
    of: { userId: user.id },
    actor: 'owner',
    action: 'access.signed_in',
    ...(detail ? { detail } : {}),
    client: clientOf(ctx.headers),
  });
  await rememberDevice(ctx, email, nowMs());
  await rememberNetwork(db, { email, address }, nowMs());
};

const SIGN_INS: Readonly<Record<string, string>> = {
  '/sign-in/email': 'password',
  '/two-factor/verify-totp': 'password and code',
  '/two-factor/verify-backup-code': 'password and recovery code',
  '/passkey/verify-authentication': 'passkey',
};

type Told = { readonly action: AuditAction; readonly subject: string; readonly what: string };

/** A deed of somebody signed in: a line of the audit log, and a mail. */
const told =
  ({ action, subject, what }: Told): Guard =>
  async (ctx, { sendMail, audit }) => {
    const user = ctx.context.newSession?.user ?? ctx.context.session?.user;
    if (!user) return;
    await audit({ of: { userId: user.id }, actor: 'owner', action, client: clientOf(ctx.headers) });
    await ctx.context.runInBackgroundOrAwait(sendMail(securityMail(user.email, subject, what)));
  };

const codesOn = told({
  action: 'access.two_factor_on',
  subject: 'Two-factor sign-in was switched on',
  what: 'Signing in to your packshot account now needs a code.',
});

/** Run after what was answered without an error. */
const after: Readonly<Record<string, Guard>> = {
  '/sign-in/email': remember,
  '/two-factor/verify-backup-code': remember,
  '/passkey/verify-authentication': remember,
  // Signed in before: this was the first code, which switches the second factor on.
  '/two-factor/verify-totp': (ctx, deps) =>
    ctx.context.session && ctx.context.newSession ? codesOn(ctx, deps) : remember(ctx, deps),
  '/two-factor/disable': told({
    action: 'access.two_factor_off',
    subject: 'Two-factor sign-in was switched off',
    what: 'Signing in to your packshot account needs no code any more.',
  }),
  '/two-factor/generate-backup-codes': told({
    action: 'access.recovery_codes_made',
    subject: 'New recovery codes were made',
    what: 'New recovery codes replace the earlier ones of your account.',
  }),
  '/passkey/verify-registration': told({
    action: 'access.passkey_added',
    subject: 'A passkey was added',
    what: 'A passkey that signs in to your packshot account was added.',
  }),
  '/passkey/delete-passkey': told({
    action: 'access.passkey_removed',
    subject: 'A passkey was removed',
    what: 'A passkey of your packshot account was removed.',
  }),
  '/change-password': async (ctx, { db, sendMail, audit }) => {
    const user = ctx.context.newSession?.user;
    if (!user) return;
    const client = clientOf(ctx.headers);
    await audit({ of: { userId: user.id }, actor: 'owner', action: 'access.password_changed', client });
    await endLinksOf(db, user.id, user.email);
    await ctx.context.runInBackgroundOrAwait(sendMail(passwordChangedMail(user.email)));
  },
};

/** Whose account a failed try was at; undefined where the address has none. */
const triedUser = async (ctx: GenericEndpointContext): Promise<string | undefined> => {
  const { internalAdapter } = ctx.context;
  if (ctx.path === '/sign-in/email') return (await internalAdapter.findUserByEmail(emailIn(ctx)))?.user.id;
  const challenge = await ctx.getSignedCookie(ctx.context.createAuthCookie('two_factor').name, ctx.context.secret);
  return challenge ? (await internalAdapter.findVerificationValue(challenge))?.value : undefined;
};

/** Tries that were not looked at, because too many were made, are not recorded: nobody fills an owner's log. */
const noteFailure = async (ctx: GenericEndpointContext, { audit }: GuardDeps, error: APIError): Promise<void> => {
  const detail = SIGN_INS[ctx.path];
  if (detail === undefined || error.statusCode !== 401 || ctx.context.session) return;
  const userId = await triedUser(ctx);
  if (userId === undefined) return;
  await audit({
    of: { userId },
    actor: 'somebody',
    action: 'access.sign_in_failed',
    detail: ctx.path === '/sign-in/email' ? 'wrong password' : 'wrong code',
    client: clientOf(ctx.headers),
  });
};

/** Every call of better-auth's routes, over the network and from our own code. */
export const guardBefore = (deps: GuardDeps) => createAuthMiddleware(async (ctx) => before[ctx.path]?.(ctx, deps));

export const guardAfter = (deps: GuardDeps) =>
  createAuthMiddleware(async (ctx) => {
    const { returned } = ctx.context;
    if (returned instanceof APIError) await noteFailure(ctx, deps, returned);
    else await after[ctx.path]?.(ctx, deps);
  });
