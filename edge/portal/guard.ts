/**
 * What every call of the portal's API passes: security headers, same origin for whatever changes something, and a
 * session.
 */
import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { createMiddleware } from 'hono/factory';
import type { Summary } from '../account/ledger/port.ts';
import type { AccountParts } from '../account/port.ts';
import { problemResponse } from '../http/problem.ts';
import { retryAfterSeconds, type Wait } from './counters.ts';
import type { PortalDeps } from './deps.ts';
import { type Membership, membershipOf } from './team/membership.ts';

export type SignedIn = {
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly sessionId: string;
} & Membership;
export type PortalContext = { Variables: { readonly user: SignedIn } };

type Refusal = 400 | 401 | 403 | 404 | 409 | 410 | 413 | 415 | 422 | 429 | 500 | 503;
/** A problem document with the portal's own codes, which its pages know. */
export const refuse = (status: Refusal, code: string, detail: string): Response =>
  problemResponse({ status, code, detail });

/** A 429 that says when to come again. */
export const refuseForNow = (code: string, detail: string, wait: Wait): Response => {
  const refusal = refuse(429, code, detail);
  refusal.headers.set('retry-after', String(retryAfterSeconds(wait)));
  return refusal;
};

export const apiHeaders: MiddlewareHandler = async (c, next) => {
  await next();
  c.header('cache-control', 'no-store');
  c.header('x-content-type-options', 'nosniff');
  c.header('x-frame-options', 'DENY');
  c.header('referrer-policy', 'no-referrer');
  c.header('cross-origin-resource-policy', 'same-origin');
  c.header('content-security-policy', "default-src 'none'; frame-ancestors 'none'");
};

/** Counts what really arrives, whatever `Content-Length` says. */
export const bodyAtMost = (bytes: number): MiddlewareHandler =>
  bodyLimit({ maxSize: bytes, onError: () => refuse(413, 'body_too_large', 'The request is too large.') });

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Cross-site request forgery: what changes something must come from our own pages. Browsers send `Origin` with every
 * such request; a form of another site cannot forge it, nor send JSON without a preflight request.
 */
export const sameOrigin =
  (trustedOrigins: readonly string[]): MiddlewareHandler =>
  async (c, next) => {
    if (SAFE.has(c.req.method)) return next();
    if (!isOwnPage(c, trustedOrigins)) return crossSite();
    if (!c.req.header('content-type')?.startsWith('application/json'))
      return refuse(415, 'unsupported_content_type', 'The portal API takes application/json.');
    return next();
  };

/** The same for a form with files, which has a header that only a page of our own can send: a form has none. */
export const sameOriginForm =
  (trustedOrigins: readonly string[], header: string): MiddlewareHandler =>
  async (c, next) =>
    isOwnPage(c, trustedOrigins) && c.req.header(header) ? next() : crossSite();

const isOwnPage = (c: Context, trustedOrigins: readonly string[]): boolean =>
  trustedOrigins.includes(c.req.header('origin') ?? '');
const crossSite = (): Response => refuse(403, 'cross_site_request', 'The request did not come from this portal.');

/** Who sent these headers; undefined where nobody is signed in. */
export const sessionOf = async ({ auth, db }: PortalDeps, headers: Headers): Promise<SignedIn | undefined> => {
  const session = await auth.api.getSession({ headers });
  if (!session) return undefined;
  const { id, email, name, createdAt } = session.user;
  const sessionId = session.session.id;
  const membership = await membershipOf(db, id, sessionId);
  return membership === null
    ? undefined
    : { userId: id, email, name, createdAt: new Date(createdAt), sessionId, ...membership };
};

export const signedIn = (deps: PortalDeps) =>
  createMiddleware<PortalContext>(async (c, next) => {
    const user = await sessionOf(deps, c.req.raw.headers);
    if (!user) return refuse(401, 'signed_out', 'Sign in to continue.');
    c.set('user', user);
    return next();
  });

/** The session's account, opened on first use, so that nobody who never goes there has one. */
export const accountOf = async (
  { services }: PortalDeps,
  user: Pick<SignedIn, 'accountId' | 'email'>,
): Promise<AccountParts & { readonly summary: Summary }> => {
  const account = services.accountOf(user.accountId);
  const existing = await account.ledger.summary();
  if (existing) return { ...account, summary: existing };
  await account.ledger.open({ accountId: user.accountId, label: user.email });
  const summary = await account.ledger.summary();
  if (!summary) throw new Error('the account was opened, but has no summary');
  return { ...account, summary };
};
