/** Second factors and sessions, as the security page shows them. better-auth's own routes change the former. */
import { type Context, Hono } from 'hono';
import type { SecurityOverview, SessionRow } from '../../../shared/portal-api.ts';
import type { AuditAction } from '../../audit/record.ts';
import { deviceOf, endOtherSessions, endSession, listSessions } from '../access/sessions.ts';
import type { PortalDeps } from '../deps.ts';
import { type PortalContext, refuse } from '../guard.ts';
import { personDid } from '../owner-did.ts';

const PASSKEYS = 'select "id", "name", "createdAt" from "passkey" where "userId" = ? order by "createdAt"';
type Passkey = { readonly id: string; readonly name: string | null; readonly createdAt: string };

const overview = async (c: Context<PortalContext>, { db, services }: PortalDeps): Promise<SecurityOverview> => {
  const { userId, sessionId } = c.get('user');
  const [user, passkeys, sessions] = await Promise.all([
    db
      .prepare('select "twoFactorEnabled" as hasCodes from "user" where "id" = ?')
      .bind(userId)
      .first<{ hasCodes: 0 | 1 }>(),
    db.prepare(PASSKEYS).bind(userId).all<Passkey>(),
    listSessions(db, userId, services.clock.nowMs()),
  ]);
  return {
    two_factor: user?.hasCodes === 1,
    passkeys: passkeys.results.map(({ id, name, createdAt }) => ({
      id,
      name: name ?? 'Passkey',
      created_at: createdAt,
    })),
    sessions: sessions.map(
      ({ id, createdAt, updatedAt, userAgent, country }): SessionRow => ({
        id,
        device: deviceOf(userAgent),
        country,
        began_at: createdAt,
        last_used_at: updatedAt,
        current: id === sessionId,
      }),
    ),
  };
};

export const securityRoutes = (deps: PortalDeps): Hono<PortalContext> => {
  const ended = async (c: Context<PortalContext>, action: AuditAction): Promise<Response> => {
    await personDid(deps, c, { action });
    return c.json({ ended: true });
  };
  return new Hono<PortalContext>()
    .get('/account/security', async (c) => c.json(await overview(c, deps)))
    .post('/account/sessions/:id/end', async (c) =>
      (await endSession(deps.db, c.get('user').userId, c.req.param('id')))
        ? ended(c, 'access.session_ended')
        : refuse(404, 'not_found', 'No such session.'),
    )
    .post('/account/sessions/end-others', async (c) => {
      const { userId, sessionId } = c.get('user');
      await endOtherSessions(deps.db, userId, sessionId);
      return ended(c, 'access.other_sessions_ended');
    });
};
