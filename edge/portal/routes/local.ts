/** Local mode only: the outbox, and paying a test checkout. These routes do not exist in production. */
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { usdString } from '../../../shared/credits.ts';
import type { OutboxEntry, TestCheckoutInfo } from '../../../shared/portal-api.ts';
import { savedCardCheckout } from '../../payments/test-cards.ts';
import { findTestCheckout, paidCheckout, signedDelivery } from '../../payments/test-checkout.ts';
import type { PortalDeps } from '../deps.ts';
import { type PortalContext, refuse } from '../guard.ts';
import { listOutbox } from '../outbox.ts';
import { bodyOf } from '../read-body.ts';
import { timeOf } from '../time.ts';
import { WEBHOOK_PATH } from './stripe-webhook.ts';

/** Needs no session: a session starts with the link in one of these mails. */
export const outboxRoutes = ({ db }: PortalDeps): Hono =>
  new Hono().get('/outbox', async (c) => {
    const mails: OutboxEntry[] = (await listOutbox(db)).map(({ id, recipient, subject, body, sentAt }) => ({
      id,
      to: recipient,
      subject,
      body,
      sent_at: timeOf(sentAt),
    }));
    return c.json({ mails });
  });

const REFUSED = 'The webhook refused the test event.';
const NOT_OPEN = 'This test checkout is not open any more.';

const NO_CARD = 'card is works or declined, and this test checkout is for a card.';
const cardChoice = z.strictObject({ card: z.enum(['works', 'declined']) });

/** `webhook` is the handler that Stripe calls. */
export const testCheckoutRoutes = ({ db, services, settings }: PortalDeps, webhook: Hono): Hono<PortalContext> => {
  const find = (c: Context<PortalContext>) =>
    findTestCheckout(db, c.req.param('id') ?? '', c.get('user').accountId, services.clock.nowMs());
  const deliver = async (told: Parameters<typeof signedDelivery>[0]): Promise<boolean> => {
    const { body, signature } = await signedDelivery(told, settings.stripeWebhookSecrets[0], services.clock.nowMs());
    const headers = { 'stripe-signature': signature, 'content-type': 'application/json' };
    return (await webhook.request(WEBHOOK_PATH, { method: 'POST', headers, body })).ok;
  };
  return new Hono<PortalContext>()
    .get('/checkouts/:id', async (c) => {
      const found = await find(c);
      if (!found) return refuse(404, 'not_found', NOT_OPEN);
      return c.json({
        id: found.id,
        purpose: found.purpose,
        email: found.email,
        amount_usd: usdString(found.credits),
        credits: found.credits,
      } satisfies TestCheckoutInfo);
    })
    .post('/checkouts/:id/pay', async (c) => {
      const found = await find(c);
      if (found?.purpose !== 'payment') return refuse(404, 'not_found', NOT_OPEN);
      return (await deliver(paidCheckout(found))) ? c.json({ paid: true }) : refuse(500, 'delivery_refused', REFUSED);
    })
    .post('/checkouts/:id/save-card', async (c) => {
      const [found, body] = [await find(c), await bodyOf(c, cardChoice)];
      if (!found) return refuse(404, 'not_found', NOT_OPEN);
      if (!body || found.purpose !== 'card') return refuse(400, 'invalid_request', NO_CARD);
      return (await deliver(savedCardCheckout(found, body.card)))
        ? c.json({ saved: true })
        : refuse(500, 'delivery_refused', REFUSED);
    });
};
