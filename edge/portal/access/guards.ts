/** What better-auth's own routes pass before they run, and what follows once they have: limits, and who is known. */
import type { GenericEndpointContext } from 'better-auth';
import { APIError, createAuthMiddleware, getSessionFromCtx } from 'better-auth/api';
import { edgeLimits } from '../../limits.ts';
import { countWithin, retryAfterSeconds, type Wait } from '../counters.ts';
import type { SendMail } from '../mail.ts';
import { passwordChangedMail } from '../mail-texts.ts';
import { knownDevice, rememberDevice } from './known-device.ts';
import { mailWait } from './mail-limit.ts';
import { endLinksOf } from './mailed-links.ts';
import { forgetTries, rememberNetwork, signInWait } from './sign-in-limit.ts';

type GuardDeps = { readonly db: D1Database; readonly nowMs: () => number; readonly sendMail: SendMail };

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
  // Whoever holds a stolen session must not be able to guess the password with it; and other sessions always end.
  '/change-password': async (ctx, { db, nowMs }) => {
    const session = await getSessionFromCtx(ctx);
    if (!session) return;
    const wait = await countWithin(db, `password:${session.user.id}`, edgeLimits.portal.passwordTries, nowMs());
    if (wait.waitMs > 0) throw tooManyTries(wait);
    return { context: { body: { ...ctx.body, revokeOtherSessions: true } } };
  },
};

/** Run only where a session began. */
const after: Readonly<Record<string, Guard>> = {
  // Its device and network are known from now on, and the count of wrong passwords from there ends.
  '/sign-in/email': async (ctx, { db, nowMs }) => {
    const email = ctx.context.newSession?.user.email ?? '';
    const address = addressOf(ctx);
    await forgetTries(db, { email, address, device: await knownDevice(ctx, email, nowMs()) });
    await rememberDevice(ctx, email, nowMs());
    await rememberNetwork(db, { email, address }, nowMs());
  },
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
    if (ctx.context.newSession) await after[ctx.path]?.(ctx, deps);
  });
