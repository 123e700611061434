/** Automatic top-up: the card, the terms, and how it stands. */
import { Hono } from 'hono';
import { z } from 'zod';
import { packOf } from '../../../shared/credits.ts';
import { newId } from '../../../shared/ids.ts';
import { limits } from '../../../shared/limits.ts';
import type { AutomaticTopUp } from '../../../shared/portal-api.ts';
import type { TopUpTerms, TopUpView } from '../../account/top-up/port.ts';
import { edgeLimits } from '../../limits.ts';
import { stripeCardCheckout } from '../../payments/card.ts';
import { openTestCardCheckout } from '../../payments/test-checkout.ts';
import { countWithin } from '../counters.ts';
import type { PortalDeps } from '../deps.ts';
import { accountOf, type PortalContext, refuse, refuseForNow } from '../guard.ts';
import { ownerDid } from '../owner-did.ts';
import { bodyOf } from '../read-body.ts';
import { timeOf } from '../time.ts';

const { levelMax, monthlyLimitUsdMax } = limits.topUp;
const CENTS = 100;
const CARD_ID_CHARS_MAX = 200;

/** `accepts_terms`: what the page says of charges to that card without the owner being there. */
const change = z.discriminatedUnion('enabled', [
  z.strictObject({
    enabled: z.literal(true),
    level: z.number().int().min(0).max(levelMax),
    credits: z.number(),
    monthly_limit_usd: z.number().int().min(1).max(monthlyLimitUsdMax),
    card_id: z.string().max(CARD_ID_CHARS_MAX),
    accepts_terms: z.literal(true),
  }),
  z.strictObject({ enabled: z.literal(false) }),
]);
const attempt = z.strictObject({ attempt_id: z.uuid() });
const nothing = z.strictObject({});

const usd = (cents: number): string => `$${(cents / CENTS).toFixed(2)}`;

const shown = ({ terms, isOn, pause, card, waiting, monthCents, last }: TopUpView): AutomaticTopUp => ({
  enabled: isOn,
  level: terms?.level ?? null,
  credits: terms?.pack.credits ?? null,
  monthly_limit_usd: terms ? terms.monthlyLimitCents / CENTS : null,
  month_usd: usd(monthCents),
  pause,
  waiting: waiting && { for: waiting.for, until: timeOf(waiting.untilMs) },
  card: card && {
    id: card.paymentMethod,
    brand: card.brand,
    last4: card.last4,
    exp_month: card.expMonth,
    exp_year: card.expYear,
  },
  top_ups: last.map((row) => ({
    number: row.number,
    state: row.state,
    reason: row.reason,
    credits: row.credits,
    amount_usd: usd(row.usdCents),
    payment_id: row.payment,
    at: timeOf(row.createdAtMs),
  })),
});

/** A text where they are wrong. */
const termsOf = (body: Extract<z.infer<typeof change>, { enabled: true }>): TopUpTerms | string => {
  const pack = packOf(body.credits);
  if (!pack) return `There is no pack of ${body.credits} credits.`;
  const monthlyLimitCents = body.monthly_limit_usd * CENTS;
  if (monthlyLimitCents < pack.usdCents)
    return `The monthly limit is below the price of one pack, ${usd(pack.usdCents)}.`;
  return { level: body.level, pack, monthlyLimitCents };
};

const saidOf = ({ level, pack, monthlyLimitCents }: TopUpTerms): string =>
  `${pack.credits} credits at ${level}, at most ${usd(monthlyLimitCents)} a month`;

export const topUpRoutes = (deps: PortalDeps): Hono<PortalContext> => {
  const { db, services, settings } = deps;
  return new Hono<PortalContext>()
    .get('/top-up', async (c) => c.json(shown(await (await accountOf(deps, c.get('user'))).topUps.topUp())))
    .post('/top-up', async (c) => {
      const body = await bodyOf(c, change);
      if (!body)
        return refuse(
          400,
          'invalid_request',
          `enabled is false, or true with level (0 to ${levelMax} credits), credits (a pack), monthly_limit_usd (whole dollars, at most ${monthlyLimitUsdMax}), card_id (the saved card's) and accepts_terms: true.`,
        );
      const terms = body.enabled ? termsOf(body) : null;
      if (typeof terms === 'string') return refuse(400, 'invalid_request', terms);
      const user = c.get('user');
      const { topUps } = await accountOf(deps, user);
      // Switching off is never refused.
      const { topUpChanges } = edgeLimits.portal;
      const wait = terms && (await countWithin(db, `top-up:${user.accountId}`, topUpChanges, services.clock.nowMs()));
      if (wait && wait.waitMs > 0) return refuseForNow('rate_limited', 'Too many changes. Try again later.', wait);
      const result = await topUps.setTopUp(terms, body.enabled ? body.card_id : undefined);
      if (result === 'no_card') return refuse(409, 'no_card', 'Automatic top-up needs a saved card. Save one first.');
      if (result === 'card_changed')
        return refuse(409, 'card_changed', 'Another card was saved meanwhile. Look at it, and confirm again.');
      if (result === 'saved')
        await ownerDid(
          deps,
          c,
          terms ? { action: 'money.top_up_on', detail: saidOf(terms) } : { action: 'money.top_up_off' },
        );
      return c.json(shown(await topUps.topUp()));
    })
    .post('/top-up/card', async (c) => {
      const body = await bodyOf(c, attempt);
      if (!body) return refuse(400, 'invalid_request', 'An attempt_id is needed.');
      const { accountId, email } = c.get('user');
      await accountOf(deps, c.get('user'));
      const nowMs = services.clock.nowMs();
      const wait = await countWithin(db, `checkout:${accountId}`, edgeLimits.portal.checkouts, nowMs);
      if (wait.waitMs > 0) return refuseForNow('rate_limited', 'Too many checkouts. Try again later.', wait);
      const newCheckoutId = (): string => newId('payment', nowMs, services.randomBytes).slice(4);
      const open =
        settings.checkout.kind === 'stripe'
          ? stripeCardCheckout(settings.checkout.secretKey, settings.publicBaseUrl, `${accountId}:${body.attempt_id}`)
          : openTestCardCheckout({ db, newCheckoutId, nowMs });
      return c.json(await open({ accountId, email }));
    })
    .post('/top-up/card/remove', async (c) => {
      if (!(await bodyOf(c, nothing))) return refuse(400, 'invalid_request', 'The body is {}.');
      const { topUps } = await accountOf(deps, c.get('user'));
      await topUps.removeCard();
      await ownerDid(deps, c, { action: 'money.card_removed' });
      return c.json(shown(await topUps.topUp()));
    });
};
