/**
 * Stripe's deliveries: the only way by which credits are bought. No session and no CSRF check here: the signature is
 * the proof.
 */
import { Hono } from 'hono';
import { newId } from '../../../shared/ids.ts';
import { PORTAL_API_PREFIX } from '../../../shared/paths.ts';
import { logEvent } from '../../log.ts';
import { NOT_THE_PRICE, readEvent, verifyEvent } from '../../payments/event.ts';
import { paymentLimits } from '../../payments/limits.ts';
import { recordEvent } from '../../payments/settle.ts';
import { paymentStore } from '../../payments/store.ts';
import { auditedCredits } from '../audited-credits.ts';
import { cardKeeper } from '../card-keeper.ts';
import { creditRecorder } from '../credit-recorder.ts';
import type { PortalDeps } from '../deps.ts';
import { bodyAtMost, refuse } from '../guard.ts';

export const WEBHOOK_PATH = `${PORTAL_API_PREFIX}/stripe/webhook`;

type WebhookDeps = Pick<PortalDeps, 'db' | 'services' | 'settings' | 'audit'>;

export const stripeWebhook = ({ db, services, settings, audit }: WebhookDeps): Hono =>
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
    const outcome = await recordEvent(meaning, {
      store: paymentStore(db),
      recordCredits: auditedCredits(creditRecorder(services), audit),
      keepCard: cardKeeper(services, settings, audit),
      newPaymentId: () => newId('payment', nowMs, services.randomBytes),
      nowMs,
    });
    const why = meaning.kind === 'ignored' ? meaning.why : undefined;
    logEvent(why === NOT_THE_PRICE ? 'error' : 'info', 'stripe_event', {
      event_id: event.id,
      type: event.type,
      outcome,
      why,
    });
    return c.json({ received: true, outcome });
  });
