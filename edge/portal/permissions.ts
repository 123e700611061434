/**
 * What each route of the portal's API asks of its caller. A route that is not here answers nobody: a new one needs one
 * line. `anybody`: needs no session, or better-auth looks for one itself. `person`: anybody signed in, about themselves,
 * whatever account the session is in. Anything else: a member of the session's account whose role has that permission (shared/roles.ts).
 */
import type { Context } from 'hono';
import { createMiddleware } from 'hono/factory';
import { matchedRoutes } from 'hono/route';
import { PORTAL_API_PREFIX } from '../../shared/paths.ts';
import { ACCOUNT_HEADER, ACCOUNT_QUERY } from '../../shared/portal-api.ts';
import { type Permission, roleMay } from '../../shared/roles.ts';
import { authRoutes } from './auth.ts';
import type { PortalDeps } from './deps.ts';
import { type PortalContext, refuse } from './guard.ts';
import { findMember } from './team/members.ts';

export type Needed = 'anybody' | 'person' | Permission;

export const routeNeeds: Readonly<Record<string, Needed>> = {
  'POST /stripe/webhook': 'anybody',
  'POST /quick-look': 'anybody',
  ...Object.fromEntries(authRoutes.map(([method, path]) => [`${method} /auth${path}`, 'anybody'] as const)),
  'GET /config': 'anybody',
  'GET /session': 'anybody',
  'POST /sign-up': 'anybody',
  'POST /sign-up/*': 'anybody',
  'POST /sign-up/link': 'anybody',
  'POST /sign-up/complete': 'anybody',
  'POST /address/confirm': 'anybody',
  'POST /invitations/link': 'anybody',
  'POST /invitations/sign-up': 'anybody',
  'GET /local/outbox': 'anybody',

  'POST /session/account': 'person',
  'POST /invitations/accept': 'person',
  'POST /account/address': 'person',
  'GET /account/security': 'person',
  'POST /account/sessions/:id/end': 'person',
  'POST /account/sessions/end-others': 'person',

  'GET /usage': 'overview',
  'GET /usage/report': 'overview',
  'GET /usage/report.csv': 'overview',
  'GET /members': 'overview',
  'POST /members/leave': 'overview',

  'GET /keys': 'keys',
  'POST /keys': 'keys',
  'PATCH /keys/:id': 'keys',
  'POST /keys/:id/roll': 'keys',
  'POST /keys/:id/revoke': 'keys',
  'GET /webhook-secret': 'keys',
  'POST /webhook-secret/rotate': 'keys',

  'POST /folders/:id/uploads': 'images',
  'GET /folders': 'images',
  'POST /folders': 'images',
  'GET /folders/:id': 'images',
  'GET /folders/:id/results.zip': 'images',
  'GET /folders/:id/results.csv': 'images',
  'GET /logs': 'images',
  'GET /logs.csv': 'images',
  'GET /logs/:id': 'images',
  'GET /logs/:id/inputs/:index': 'images',
  'GET /runs/:idempotencyKey': 'images',

  'GET /webhook-attempts': 'webhooks',
  'GET /webhook-attempts/:id': 'webhooks',
  'POST /webhook-attempts/resend': 'webhooks',
  'POST /webhook-attempts/test': 'webhooks',
  'GET /webhook-endpoints': 'webhooks',
  'POST /webhook-endpoints': 'webhooks',
  'PATCH /webhook-endpoints/:id': 'webhooks',
  'POST /webhook-endpoints/:id/remove': 'webhooks',

  'GET /account/data': 'data',
  'GET /account/retention': 'data',
  'POST /account/retention': 'data',
  'POST /account/data/delete': 'data',

  'POST /checkout': 'billing',
  'GET /payments': 'billing',
  'GET /payments/:id': 'billing',
  'GET /payments/:id/invoice': 'billing',
  'GET /ledger': 'billing',
  'GET /ledger.csv': 'billing',
  'GET /balance-alert': 'billing',
  'POST /balance-alert': 'billing',
  'GET /spending': 'billing',
  'GET /top-up': 'billing',
  'POST /top-up': 'billing',
  'POST /top-up/card': 'billing',
  'POST /top-up/card/remove': 'billing',
  'GET /local/checkouts/:id': 'billing',
  'POST /local/checkouts/:id/pay': 'billing',
  'POST /local/checkouts/:id/save-card': 'billing',

  'GET /audit': 'activity',
  'GET /audit.csv': 'activity',

  'POST /members/:id/role': 'members',
  'POST /members/:id/remove': 'members',
  'GET /members/:id/keys': 'members',
  'GET /invitations': 'members',
  'POST /invitations': 'members',
  'POST /invitations/:id/resend': 'members',
  'POST /invitations/:id/withdraw': 'members',

  'POST /account/delete': 'account',
};

/** As the table names a route. */
export const routeName = (method: string, path: string): string => `${method} ${path.slice(PORTAL_API_PREFIX.length)}`;

/** Every route that this call may end in; none where nothing is at its address. Throws for one without a line above. */
const neededFor = (c: Context): readonly Needed[] =>
  matchedRoutes(c).flatMap(({ method, path }) => {
    if (method === 'ALL') return [];
    const needed = routeNeeds[routeName(method, path)];
    if (needed === undefined) throw new Error(`${routeName(method, path)} has no line in edge/portal/permissions.ts`);
    return [needed];
  });

/** After `signedIn`: the membership and its role are those of this moment, whatever the session was begun with. */
export const permitted = createMiddleware<PortalContext>(async (c, next) => {
  const { accountId, role } = c.get('user');
  const asked = neededFor(c).filter((needed) => needed !== 'person' && needed !== 'anybody');
  if (asked.length === 0) return next();
  if (role === null) return refuse(403, 'not_a_member', 'You are not a member of this account any more.');
  // A page that was opened before the session went to another account must not act in that one.
  if ((c.req.header(ACCOUNT_HEADER) ?? c.req.query(ACCOUNT_QUERY) ?? accountId) !== accountId)
    return refuse(409, 'account_switched', 'Another account was chosen in this browser meanwhile. Reload the page.');
  if (asked.every((needed) => roleMay(role, needed))) return next();
  return refuse(
    403,
    'not_allowed',
    `Your role in this account, ${role}, does not allow this. An owner can give you another one.`,
  );
});

export const changedMeanwhile = (): Response =>
  refuse(409, 'changed_meanwhile', 'Your role was changed meanwhile. Reload the page.');

/** Asked once more, before a secret is given out: a refusal where the caller's role does not allow it any more. */
export const refusedMeanwhile = async (
  c: Context<PortalContext>,
  { db }: Pick<PortalDeps, 'db'>,
  permission: Permission,
): Promise<Response | undefined> => {
  const { accountId, userId } = c.get('user');
  const member = await findMember(db, accountId, userId);
  if (member && roleMay(member.role, permission)) return undefined;
  return changedMeanwhile();
};
