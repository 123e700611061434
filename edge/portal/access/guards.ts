/** What better-auth's own routes pass before they run, and what follows once they have: limits, and who is known. */
import { APIError, createAuthMiddleware } from 'better-auth/api';
import { retryAfterSeconds, type Wait } from '../counters.ts';
import { knownDevice, rememberDevice } from './known-device.ts';
import { type MailKind, mailWait } from './mail-limit.ts';
import { forgetTries, rememberNetwork, signInWait } from './sign-in-limit.ts';

type GuardDeps = { readonly db: D1Database; readonly nowMs: () => number };

const SIGN_IN = '/sign-in/email';
/** A session begins with each of these: with a password, or with the link in a mail. */
const BEGINNINGS = [SIGN_IN, '/verify-email'];
const MAILS: Readonly<Record<string, MailKind>> = {
  '/sign-up/email': 'confirm',
  '/send-verification-email': 'confirm',
  '/request-password-reset': 'reset',
};

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

/** Every call of better-auth's routes, over the network and from our own code. */
export const guardBefore = ({ db, nowMs }: GuardDeps) =>
  createAuthMiddleware(async (ctx) => {
    const email: unknown = ctx.body?.email;
    if (typeof email !== 'string') return;
    const address = ctx.headers?.get('cf-connecting-ip') ?? undefined;
    if (ctx.path === SIGN_IN) {
      const device = await knownDevice(ctx, email, nowMs());
      const wait = await signInWait(db, { email, address, device }, nowMs());
      if (wait.waitMs > 0) throw tooManyTries(wait);
    }
    const kind = MAILS[ctx.path];
    if (kind === undefined) return;
    const wait = await mailWait(db, { kind, recipient: email, address }, nowMs());
    if (wait.waitMs > 0) throw tooManyMails(wait);
  });

/** A session that begins makes its device and network known, and ends the count of wrong passwords from there. */
export const guardAfter = ({ db, nowMs }: GuardDeps) =>
  createAuthMiddleware(async (ctx) => {
    if (!BEGINNINGS.includes(ctx.path) || !ctx.context.newSession) return;
    const { email } = ctx.context.newSession.user;
    const address = ctx.headers?.get('cf-connecting-ip') ?? undefined;
    await forgetTries(db, { email, address, device: await knownDevice(ctx, email, nowMs()) });
    await rememberDevice(ctx, email, nowMs());
    await rememberNetwork(db, { email, address }, nowMs());
  });
