/** Each route of the portal's API says what it needs, and is refused to exactly those roles that lack it. */
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../../edge/config.ts';
import { authRoutes, createAuth } from '../../../edge/portal/auth.ts';
import { createPortal } from '../../../edge/portal/index.ts';
import { routeName, routeNeeds } from '../../../edge/portal/permissions.ts';
import { portalSettings } from '../../../edge/portal/settings.ts';
import { connect } from '../../../edge/services.ts';
import { type Permission, permissions, type Role, roleMay, roles } from '../../../shared/roles.ts';
import { bindings } from '../support/service.ts';
import { type Customer, newCustomer, PASSWORD, registered } from './customer.ts';
import { codeOf, joined, leave, registeredByLink } from './team.ts';

const portal = createPortal(bindings, connect(bindings, readConfig(bindings)).flows);
/** `ALL` is what routes pass, and what answers 404. */
const served = [
  ...new Set(portal.routes.filter(({ method }) => method !== 'ALL').map(({ method, path }) => routeName(method, path))),
];
const nothing = async (): Promise<void> => undefined;
const unused = {
  audit: nothing,
  sendMail: nothing,
  newAccountId: () => '',
  nowMs: Date.now,
  afterResponse: nothing,
  trustedOrigins: [],
};
const isPermission = (needed: string | undefined): needed is Permission =>
  (permissions as readonly string[]).includes(needed ?? '');
const guarded = served.filter((route) => isPermission(routeNeeds[route]));

/** With an id that nothing has. Leaving comes last: what follows would find no member. */
const callAs = (customer: Customer, route: string): Promise<Response> => {
  const [method = '', path = ''] = route.split(' ');
  const address = path.replaceAll(/:\w+/g, 'none');
  if (path.endsWith('/uploads'))
    return customer.call(method, `${address}?positions=0`, {}, { 'idempotency-key': crypto.randomUUID() });
  return customer.call(method, address, method === 'GET' ? undefined : {});
};
const leavingLast = [...guarded].sort((a, b) => Number(a.endsWith('/leave')) - Number(b.endsWith('/leave')));

describe('the routes of the portal', () => {
  it('each say what they need', () => {
    expect(served.length).toBeGreaterThan(60);
    const undeclared = served.filter((route) => routeNeeds[route] === undefined);
    expect(
      undeclared,
      'Add one line for each of these to `routeNeeds` in edge/portal/permissions.ts: the route as printed here, and the permission (shared/roles.ts) that its callers need, such as `billing`.',
    ).toEqual([]);
    const gone = Object.keys(routeNeeds).filter((route) => !served.includes(route));
    expect(gone, 'These lines of `routeNeeds` in edge/portal/permissions.ts name no route any more.').toEqual([]);
  });

  it.each(roles)('are refused to the role %s exactly where the table says', async (role: Role) => {
    const owner = await registered();
    const member = role === 'owner' ? owner : await joined(owner, role);
    for (const route of leavingLast) {
      const answer = await callAs(member, route);
      const needed = routeNeeds[route] as Permission;
      const isRefused = answer.status === 403 && (await codeOf(answer)) === 'not_allowed';
      expect(isRefused, `${route} as ${role}`).toBe(!roleMay(role, needed));
      expect([401, 500], `${route} as ${role}`).not.toContain(answer.status);
    }
  });

  it('are refused alike where only the head of the answer is asked for', async () => {
    const member = await joined(await registered(), 'billing');
    for (const path of ['/keys', '/logs.csv', '/folders/none/results.zip'])
      expect((await member.call('HEAD', path)).status, path).toBe(403);
    expect((await member.call('HEAD', '/ledger.csv')).status).toBe(200);
  });

  it('answer nobody who is signed out, and nobody who is no member any more', async () => {
    const owner = await registered();
    const removed = await registeredByLink(owner, 'owner');
    await leave(removed);
    const stranger = newCustomer();
    for (const route of guarded) {
      expect((await callAs(stranger, route)).status, route).toBe(401);
      expect(await codeOf(await callAs(removed, route)), route).toBe('not_a_member');
    }
  });

  it('of the library are closed but for those that pages call: none guesses a password uncounted', async () => {
    const customer = await registered();
    const { api } = createAuth({ ...unused, settings: portalSettings(bindings), db: bindings.DB });
    const endpoints = Object.values(api) as { path?: string; options: { method: string | string[] } }[];
    const closed = endpoints.flatMap(({ path, options: { method } }) =>
      path === undefined || authRoutes.some(([, open]) => open === path) ? [] : [[[method].flat()[0] ?? '', path]],
    );
    expect(closed.map(([, path]) => path)).toEqual(
      expect.arrayContaining(['/verify-password', '/update-user', '/update-session', '/delete-user/callback']),
    );
    for (const [method = '', path] of closed) {
      const body = method === 'GET' ? undefined : { password: PASSWORD };
      expect((await customer.call(method, `/auth${path}`, body)).status, path).toBe(404);
    }
    const open = endpoints.filter(({ path }) => authRoutes.some(([, one]) => one === path));
    expect(open, 'each open one is a route of the library').toHaveLength(authRoutes.length);
  });

  it('that no line names answer nobody', async () => {
    const lines = routeNeeds as Record<string, unknown>;
    const { 'GET /usage': needed } = lines;
    const owner = await registered();
    delete lines['GET /usage'];
    try {
      expect((await owner.call('GET', '/usage')).status).toBe(500);
    } finally {
      lines['GET /usage'] = needed;
    }
    expect((await owner.call('GET', '/usage')).status).toBe(200);
  });
});

describe('a role', () => {
  it('sees nothing of the other through an answer that both get', async () => {
    const owner = await registered();
    const developer = await joined(owner, 'developer');
    const list = await (await developer.call('GET', '/members')).json();
    expect(list).toMatchObject({ members: [{ two_factor: null }, { two_factor: null }] });
    expect(await (await owner.call('GET', '/members')).json()).toMatchObject({
      members: [{ two_factor: false }, { two_factor: false }],
    });
  });

  it('never opens keys for billing, nor photos', () => {
    const permitted = permissions.filter((permission) => roleMay('billing', permission));
    expect(permitted).toEqual(['overview', 'billing']);
    expect(permissions.filter((permission) => !roleMay('owner', permission))).toEqual([]);
    expect(permissions.filter((permission) => !roleMay('developer', permission))).toEqual([
      'billing',
      'activity',
      'members',
      'account',
    ]);
  });
});
