/** Who is signed in, for which account, and choosing another one. */
import { Hono } from 'hono';
import { z } from 'zod';
import type { AccountSummary, SessionAnswer } from '../../../shared/portal-api.ts';
import type { Role } from '../../../shared/roles.ts';
import type { PortalDeps } from '../deps.ts';
import { accountOf, type PortalContext, refuse, type SignedIn, sessionOf } from '../guard.ts';
import { bodyOf } from '../read-body.ts';
import { accountsOf, chooseAccount, firstAccountOf } from '../team/membership.ts';

const choice = z.strictObject({ account_id: z.string().max(40) });

const summaryOf = async (deps: PortalDeps, user: SignedIn): Promise<AccountSummary> => {
  const { available, held, spent, granted } = (await accountOf(deps, user)).summary;
  return { account_id: user.accountId, available, held, spent, granted };
};

const isMember = (user: SignedIn): user is SignedIn & { readonly role: Role } => user.role !== null;

/** Of a session whose account its user is no member of any more: it goes where a new one would begin. */
const moved = async (deps: PortalDeps, user: SignedIn, headers: Headers): Promise<SignedIn | undefined> => {
  const next = await firstAccountOf(deps.db, user.userId);
  if (next !== null) await chooseAccount(deps.db, user, next, deps.services.clock.nowMs());
  return sessionOf(deps, headers);
};

/** `null` is an answer, not an error: every page asks. */
export const sessionRoute = (deps: PortalDeps): Hono =>
  new Hono().get('/session', async (c) => {
    const { headers } = c.req.raw;
    const before = await sessionOf(deps, headers);
    const user = before && !isMember(before) ? await moved(deps, before, headers) : before;
    if (!user || !isMember(user)) return c.json({ me: null } satisfies SessionAnswer);
    const [account, accounts] = await Promise.all([summaryOf(deps, user), accountsOf(deps.db, user.userId)]);
    const { userId: id, email, name, createdAt, role } = user;
    return c.json({
      me: { user: { id, email, name, created_at: createdAt.toISOString() }, account, role, accounts },
      ...(user === before ? {} : { moved: true }),
    } satisfies SessionAnswer);
  });

export const chooseAccountRoute = (deps: PortalDeps): Hono<PortalContext> =>
  new Hono<PortalContext>().post('/session/account', async (c) => {
    const body = await bodyOf(c, choice);
    if (!body) return refuse(400, 'invalid_request', 'account_id is needed.');
    return (await chooseAccount(deps.db, c.get('user'), body.account_id, deps.services.clock.nowMs()))
      ? c.json({ account_id: body.account_id })
      : refuse(404, 'not_found', 'You are no member of such an account.');
  });
