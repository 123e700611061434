/** What better-auth's own routes pass before they run, and what follows once they have: limits, and who is known. */
import type { GenericEndpointContext } from 'better-auth';
import { APIError, createAuthMiddleware, getSessionFromCtx } from 'better-auth/api';
import { edgeLimits } from '../../limits.ts';
import { countWithin, retryAfterSeconds, type Wait } from '../counters.ts';
import type { SendMail } from '../mail.ts';
import { passwordChangedMail, securityMail } from '../mail-texts.ts';
import type { PortalSettings } from '../settings.ts';
import { BREACHED, isBreached } from './breached.ts';
import { knownDevice, rememberDevice } from './known-device.ts';
import { mailWait } from './mail-limit.ts';
import { endLinksOf } from './mailed-links.ts';
import { forgetTries, rememberNetwork, signInWait } from './sign-in-limit.ts';

type GuardDeps = {
  readonly db: D1Database;
  readonly nowMs: () => number;
  readonly sendMail: SendMail;
  readonly settings: Pick<PortalSettings, 'breachedPasswordsUrl'>;
};

const addressOf = (ctx: GenericEndpointContext): string | undefined =>
  ctx.headers?.get('cf-connecting-ip') ?? undefined;

const tooMany = (code: string, message: string, wait: Wait): APIError =>
  new APIError('TOO_MANY_REQUESTS', { code, message }, { 'retry-after': String(retryAfterSeconds(wait)) });

const tooManyTries = (wait: Wait): APIError =>
  tooMany(
    'TOO_MANY_ATTEMPTS',
    'Too many attempts. Wait a little, or reset the password: whoever opens the mailed link can sign in at once.',
    wait,
  );
const tooManyMails = (wait: Wait): APIError =>
  tooMany('TOO_MANY_MAILS', 'Several mails are on their way already. Look for them before you ask again.', wait);

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
  const wait = await countWithin(db, `password:${session.user.id}`, edgeLimits.portal.passwordTries, nowMs());
  if (wait.waitMs > 0) throw tooManyTries(wait);
};

const before: Readonly<Record<string, Guard>> = {
  '/sign-in/email': async (ctx, { db, nowMs }) => {
    const email = emailIn(ctx);
    const device = await knownDevice(ctx, email, nowMs());
    const wait = await signInWait(db, { email, address: addressOf(ctx), device }, nowMs());
    if (wait.waitMs > 0) throw tooManyTries(wait);
  },
  '/request-password-reset': async (ctx, { db, nowMs }) => {
    const request = { kind: 'reset', recipient: emailIn(ctx), address: addressOf(ctx) } as const;
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
  '/two-factor/get-totp-uri': countPassword,
  '/two-factor/generate-backup-codes': countPassword,
};

/** Its device and network are known from now on, and the count of wrong passwords from there ends. */
const remember: Guard = async (ctx, { db, nowMs }) => {
  const user = ctx.context.newSession?.user;
  if (!user) return;
  const { email } = user;
  const address = addressOf(ctx);
  await forgetTries(db, { email, address, device: await knownDevice(ctx, email, nowMs()) });
  // Of a sign-in that goes on with a second factor, the password alone makes nothing known.
  if (ctx.path === '/sign-in/email' && user['twoFactorEnabled']) return;
  await rememberDevice(ctx, email, nowMs());
  await rememberNetwork(db, { email, address }, nowMs());
};

const tell = async (
  ctx: GenericEndpointContext,
  { sendMail }: GuardDeps,
  subject: string,
  what: string,
): Promise<void> => {
  const email = ctx.context.newSession?.user.email ?? ctx.context.session?.user.email;
  if (email !== undefined) await ctx.context.runInBackgroundOrAwait(sendMail(securityMail(email, subject, what)));
};

/** Run after what was answered without an error. */
const after: Readonly<Record<string, Guard>> = {
  '/sign-in/email': remember,
  '/two-factor/verify-backup-code': remember,
  '/passkey/verify-authentication': remember,
  '/two-factor/verify-totp': async (ctx, deps) => {
    // Signed in before: this was the first code, which switches the second factor on.
    if (ctx.context.session && ctx.context.newSession)
      await tell(
        ctx,
        deps,
        'Two-factor sign-in was switched on',
        'Signing in to your packshot account now needs a code.',
      );
    await remember(ctx, deps);
  },
  '/two-factor/disable': (ctx, deps) =>
    tell(
      ctx,
      deps,
      'Two-factor sign-in was switched off',
      'Signing in to your packshot account needs no code any more.',
    ),
  '/two-factor/generate-backup-codes': (ctx, deps) =>
    tell(ctx, deps, 'New recovery codes were made', 'New recovery codes replace the earlier ones of your account.'),
  '/passkey/verify-registration': (ctx, deps) =>
    tell(ctx, deps, 'A passkey was added', 'A passkey that signs in to your packshot account was added.'),
  '/passkey/delete-passkey': (ctx, deps) =>
    tell(ctx, deps, 'A passkey was removed', 'A passkey of your packshot account was removed.'),
  '/change-password': async (ctx, { db, sendMail }) => {
    const user = ctx.context.newSession?.user;
    if (!user) return;
    await endLinksOf(db, user.id, user.email);
    await ctx.context.runInBackgroundOrAwait(sendMail(passwordChangedMail(user.email)));
  },
};

/** Every call of better-auth's routes, over the network and from our own code. */
export const guardBefore = (deps: GuardDeps) => createAuthMiddleware(async (ctx) => before[ctx.path]?.(ctx, deps));

export const guardAfter = (deps: GuardDeps) =>
  createAuthMiddleware(async (ctx) => {
    if (!(ctx.context.returned instanceof APIError)) await after[ctx.path]?.(ctx, deps);
  });
