/**
 * Stripe's deliveries: the only way by which credits are bought. No session and no CSRF check here: the signature is
 * the proof.
 */
import { Hono } from 'hono';
import { PORTAL_API_PREFIX } from '../../../shared/paths.ts';
import { logEvent } from '../../log.ts';
import { NOT_THE_PRICE, readEvent, verifyEvent } from '../../payments/event.ts';
import { paymentLimits } from '../../payments/limits.ts';
import { recordEvent } from '../../payments/settle.ts';
import type { PortalDeps } from '../deps.ts';
import { bodyAtMost, refuse } from '../guard.ts';
import { settleDeps } from '../settle-deps.ts';

export const WEBHOOK_PATH = `${PORTAL_API_PREFIX}/stripe/webhook`;

type WebhookDeps = Pick<PortalDeps, 'db' | 'services' | 'settings'>;

export const stripeWebhook = ({ db, services, settings }: WebhookDeps): Hono =>
  new Hono().post(WEBHOOK_PATH, bodyAtMost(paymentLimits.webhookBodyBytesMax), async (c) => {
    const nowMs = services.clock.nowMs();
    const event = await verifyEvent(
      await c.req.text(),
      c.req.header('stripe-signature'),
      settings.stripeWebhookSecrets,
      nowMs,
    );
    if (!event) return refuse(400, 'bad_signature', 'The signature is missing, wrong or too old.');
    const meaning = readEvent(event, { liveOnly: !settings.local });
    const outcome = await recordEvent(meaning, settleDeps(db, services, settings));
    const why = meaning.kind === 'ignored' ? meaning.why : undefined;
    logEvent(why === NOT_THE_PRICE ? 'error' : 'info', 'stripe_event', {
      event_id: event.id,
      type: event.type,
      outcome,
      why,
    });
    return c.json({ received: true, outcome });
  });
