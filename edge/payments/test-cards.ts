/**
 * Local mode's cards: one that works and one that is declined. Nothing is asked of anybody; what Stripe would tell is made
 * here, signed, and handed to the webhook handler that Stripe calls.
 */
import type { ChargeCard, SavedCard } from '../account/top-up/port.ts';
import type { ReadCard } from './card.ts';
import { marksOf, ownerMarks } from './event.ts';
import { type Delivery, signedDelivery, type TestCheckout } from './test-checkout.ts';

export type TestCard = 'works' | 'declined';
const CARDS: Readonly<Record<TestCard, Pick<SavedCard, 'last4' | 'expMonth' | 'expYear'>>> = {
  works: { last4: '4242', expMonth: 12, expYear: 2034 },
  declined: { last4: '0341', expMonth: 12, expYear: 2034 },
};

type Told = Parameters<typeof signedDelivery>[0];
export const savedCardCheckout = ({ id, accountId }: TestCheckout, card: TestCard): Told => ({
  of: id,
  type: 'checkout.session.completed',
  object: {
    id: `cs_test_${id}`,
    object: 'checkout.session',
    mode: 'setup',
    status: 'complete',
    setup_intent: `seti_test_${card}_${id}`,
    customer: `cus_test_${id}`,
    metadata: ownerMarks(accountId),
  },
});

export const testCardReader: ReadCard = async ({ setupIntent, customer }) => {
  const [, card, id] = /^seti_test_(works|declined)_(\w+)$/.exec(setupIntent) ?? [];
  if (card === undefined || id === undefined) return undefined;
  return { customer, paymentMethod: `pm_test_${card}_${id}`, brand: 'visa', ...CARDS[card as TestCard] };
};

/** `deliver`: to the webhook. Throws unless it is taken. */
export const testCards = (
  secret: string,
  nowMs: () => number,
  deliver: (delivery: Delivery) => Promise<void>,
): ChargeCard => ({
  open: async ({ id }) => ({ result: 'opened', invoice: `in_test_${id}` }),
  ready: async ({ id }) => ({ result: 'ready', paymentIntent: `pi_test_${id}` }),
  pay: async ({ id, accountId, credits, usdCents, customer, paymentMethod }, invoice) => {
    if (paymentMethod.startsWith('pm_test_declined_'))
      return { result: 'refused', reason: 'card_declined', why: 'a test card that is declined' };
    const object = {
      id: invoice,
      object: 'invoice',
      status: 'paid',
      customer,
      subtotal: usdCents,
      amount_paid: usdCents,
      currency: 'usd',
      customer_email: null,
      metadata: { ...marksOf(accountId, { credits, usdCents }), payment_intent: `pi_test_${id}`, mode: 'test' },
    };
    await deliver(await signedDelivery({ of: id, type: 'invoice.paid', object }, secret, nowMs()));
    return { result: 'paid' };
  },
  // Declined, or its event was delivered and the top-up has ended.
  close: async () => 'closed',
  detach: async () => {},
});
