/** What each key spent in a month. */
import { Hono } from 'hono';
import { usdString } from '../../../shared/credits.ts';
import type { Spending } from '../../../shared/portal-api.ts';
import type { PortalDeps } from '../deps.ts';
import { accountOf, type PortalContext, refuse } from '../guard.ts';

const MONTH = /^20\d\d-(0[1-9]|1[0-2])$/;

export const spendingRoutes = (deps: PortalDeps): Hono<PortalContext> =>
  new Hono<PortalContext>().get('/spending', async (c) => {
    const month = c.req.query('month') ?? '';
    if (!MONTH.test(month)) return refuse(400, 'invalid_request', 'month is a year and a month, such as 2026-11.');
    const { ledger, keys } = await accountOf(deps, c.get('user'));
    const [spent, known] = await Promise.all([ledger.spentInMonth(month), keys.listKeys()]);
    const labels = new Map(known.map(({ keyId, label }) => [keyId, label]));
    const counted = spent.keys.reduce((sum, { credits }) => sum + credits, 0);
    const amountOf = (credits: number) => ({ credits, amount_usd: usdString(credits) });
    return c.json({
      month,
      ...amountOf(spent.credits),
      keys: spent.keys.map(({ keyId, credits }) => ({
        key_id: keyId,
        label: labels.get(keyId) ?? null,
        ...amountOf(credits),
      })),
      uncounted: amountOf(spent.credits - counted),
    } satisfies Spending);
  });
