/** Local mode only: the outbox, and paying a test checkout. These routes do not exist in production. */
import { Hono } from 'hono';
import { usdString } from '../../../shared/credits.ts';
import type { OutboxEntry, TestCheckoutInfo } from '../../../shared/portal-api.ts';
import { findTestCheckout, signedDelivery } from '../../payments/test-checkout.ts';
import type { PortalDeps } from '../deps.ts';
import { type PortalContext, refuse } from '../guard.ts';
import { listOutbox } from '../outbox.ts';
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

const NOT_OPEN = 'This test checkout is not open any more.';

/** `webhook` is the handler that Stripe calls. */
export const testCheckoutRoutes = ({ db, services, settings }: PortalDeps, webhook: Hono): Hono<PortalContext> => {
  return new Hono<PortalContext>()
    .get('/checkouts/:id', async (c) => {
      const found = await findTestCheckout(db, c.req.param('id'), c.get('user').accountId, services.clock.nowMs());
      if (!found) return refuse(404, 'not_found', NOT_OPEN);
      return c.json({
        id: found.id,
        email: found.email,
        amount_usd: usdString(found.credits),
        credits: found.credits,
      } satisfies TestCheckoutInfo);
    })
    .post('/checkouts/:id/pay', async (c) => {
      const nowMs = services.clock.nowMs();
      const found = await findTestCheckout(db, c.req.param('id'), c.get('user').accountId, nowMs);
      if (!found) return refuse(404, 'not_found', NOT_OPEN);
      const { body, signature } = await signedDelivery(found, settings.stripeWebhookSecrets[0], nowMs);
      const answer = await webhook.request(WEBHOOK_PATH, {
        method: 'POST',
        headers: { 'stripe-signature': signature, 'content-type': 'application/json' },
        body,
      });
      return answer.ok
        ? c.json({ paid: true })
        : refuse(500, 'delivery_refused', 'The webhook refused the test event.');
    });
};
