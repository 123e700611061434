/** Deliveries as Stripe makes them, signed with Stripe's own test helper. */

import Stripe from 'stripe';
import { partsOf } from '../../../edge/account/port.ts';
import { auditRecorder } from '../../../edge/audit/record.ts';
import type { PortalDeps } from '../../../edge/portal/deps.ts';
import { stripeWebhook } from '../../../edge/portal/routes/stripe-webhook.ts';
import { portalSettings } from '../../../edge/portal/settings.ts';
import { PACK } from '../../../shared/credits.ts';
import { accountOf, BASE, bindings, historyOf, worker } from '../support/service.ts';

const WEBHOOK = '/portal/api/stripe/webhook';
const cryptoProvider = Stripe.createSubtleCryptoProvider();

let events = 0;
export const event = (
  type: string,
  object: Record<string, unknown>,
  createdMs = Date.now(),
  livemode = false,
): string =>
  JSON.stringify({
    id: `evt_${++events}_${crypto.randomUUID()}`,
    object: 'event',
    type,
    created: Math.floor(createdMs / 1000),
    livemode,
    data: { object },
  });

export const checkoutOf = (
  accountId: string,
  intent: string,
  more: Record<string, unknown> = {},
): Record<string, unknown> => ({
  id: `cs_${intent}`,
  object: 'checkout.session',
  payment_status: 'paid',
  payment_intent: intent,
  amount_subtotal: PACK.usdCents,
  amount_total: PACK.usdCents,
  currency: 'usd',
  customer_details: { email: 'buyer@example.com' },
  metadata: { service: 'packshot', account_id: accountId },
  ...more,
});
export const paymentIntentOf = (
  accountId: string,
  intent: string,
  more: Record<string, unknown> = {},
): Record<string, unknown> => ({
  id: intent,
  object: 'payment_intent',
  status: 'succeeded',
  amount_received: PACK.usdCents,
  currency: 'usd',
  created: Math.floor(Date.now() / 1000),
  livemode: false,
  receipt_email: 'receipts@example.com',
  metadata: { service: 'packshot', account_id: accountId },
  ...more,
});
export const refundOf = (
  intent: string,
  id: string,
  amount: number,
  status = 'succeeded',
): Record<string, unknown> => ({ id, object: 'refund', payment_intent: intent, amount, currency: 'usd', status });
export const disputeOf = (intent: string, id: string, amount: number): Record<string, unknown> => ({
  id,
  object: 'dispute',
  payment_intent: intent,
  amount,
  currency: 'usd',
});

export const sign = (
  payload: string,
  secret = bindings.STRIPE_WEBHOOK_SECRET,
  timestampMs = Date.now(),
): Promise<string> =>
  Stripe.webhooks.generateTestHeaderStringAsync({
    payload,
    secret,
    timestamp: Math.floor(timestampMs / 1000),
    cryptoProvider,
  });

export const deliver = async (payload: string, signature?: string | null): Promise<Response> => {
  const header = signature === undefined ? await sign(payload) : signature;
  return worker.fetch(
    new Request(`${BASE}${WEBHOOK}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(header === null ? {} : { 'stripe-signature': header }) },
      body: payload,
    }),
  );
};

const clock = {
  nowMs: () => Date.now(),
  after: (): never => {
    throw new Error('nobody waits here');
  },
};
/** What payments reach of the service, with the real ledgers behind it. */
export const paymentServices = {
  accountOf: (accountId: string) => partsOf(accountOf({ accountId }), historyOf({ accountId })),
  clock,
  randomBytes: (n: number): Uint8Array => crypto.getRandomValues(new Uint8Array(n)),
};

/** The webhook as it is outside local mode. */
export const webhookOfProduction = async (payload: string): Promise<Response> =>
  stripeWebhook({
    audit: auditRecorder(bindings.DB, Date.now),
    db: bindings.DB,
    services: paymentServices,
    settings: { ...portalSettings(bindings), local: false },
  } as unknown as PortalDeps).request(WEBHOOK, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'stripe-signature': await sign(payload) },
    body: payload,
  });
