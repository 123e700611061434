/** At which balance the owner is told by mail. */
import { Hono } from 'hono';
import { z } from 'zod';
import { limits } from '../../../shared/limits.ts';
import type { BalanceAlert } from '../../../shared/portal-api.ts';
import type { AccountParts } from '../../account/port.ts';
import type { PortalDeps } from '../deps.ts';
import { accountOf, type PortalContext, refuse } from '../guard.ts';
import { ownerDid } from '../owner-did.ts';
import { bodyOf } from '../read-body.ts';
import { timeOf } from '../time.ts';

const { levelMax } = limits.balanceAlert;
const change = z.strictObject({ level: z.number().int().min(1).max(levelMax).nullable() });

const alertOf = async ({ alerts }: Pick<AccountParts, 'alerts'>): Promise<BalanceAlert> => {
  const { level, last } = await alerts.balanceAlert();
  return { level, last: last && { at: timeOf(last.atMs), balance: last.balance, level: last.level } };
};

export const balanceAlertRoutes = (deps: PortalDeps): Hono<PortalContext> =>
  new Hono<PortalContext>()
    .get('/balance-alert', async (c) => c.json(await alertOf(await accountOf(deps, c.get('user')))))
    .post('/balance-alert', async (c) => {
      const body = await bodyOf(c, change);
      if (!body) return refuse(400, 'invalid_request', `level is 1 to ${levelMax} credits, or null.`);
      const account = await accountOf(deps, c.get('user'));
      await account.alerts.setBalanceAlert(body.level);
      const detail = body.level === null ? 'off' : `at ${body.level} credits`;
      await ownerDid(deps, c, { action: 'money.alert_changed', detail });
      return c.json(await alertOf(account));
    });
