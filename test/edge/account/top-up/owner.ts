/** An account with a card, whose alarm runs only when a test says so, against a Stripe that a test drives. */
import { runInDurableObject } from 'cloudflare:test';
import { expect } from 'vitest';
import type { TopUpNotice, TopUpServices, TopUpView } from '../../../../edge/account/top-up/port.ts';
import { stripeCards } from '../../../../edge/payments/top-up.ts';
import { portalSettings } from '../../../../edge/portal/settings.ts';
import { creditsFetcher } from '../../../../edge/portal/top-up-services.ts';
import { packOf } from '../../../../shared/credits.ts';
import { newId } from '../../../../shared/ids.ts';
import { deliver, event, paymentServices } from '../../payments/stripe-events.ts';
import type { StandIn } from '../../payments/stripe-stand-in.ts';
import { accountOf, accountStub, bindings, ledgerOf } from '../../support/service.ts';

export type Owner = { readonly accountId: string; readonly card: string; readonly notices: TopUpNotice[] };
type Terms = { readonly level?: number; readonly pack?: number; readonly limitUsd?: number };

export const DAY = 86_400_000;
const random = paymentServices.randomBytes;
const STRIPE = { secretKey: 'sk_test_of_stripe', automaticTax: false };

export const cardOf = (paymentMethod: string) => ({
  customer: `cus_of_${paymentMethod}`,
  paymentMethod,
  brand: 'visa',
  last4: '4242',
  expMonth: 12,
  expYear: 2034,
});

/** After it was made, and after each restart. */
export const takeOver = ({ accountId, notices }: Owner, cards?: Partial<TopUpServices['cards']>): Promise<void> =>
  runInDurableObject(accountStub(accountId), (object, { storage }) => {
    storage.setAlarm = async () => {};
    const tell = async (_: string, notice: TopUpNotice) => {
      notices.push(notice);
      return 'told' as const;
    };
    const settings = portalSettings({ ...bindings, STRIPE_SECRET_KEY: STRIPE.secretKey });
    const fetchCredits = creditsFetcher(bindings, settings, paymentServices);
    object.topUpServices = { cards: { ...stripeCards(STRIPE), ...cards }, tell, fetchCredits };
  });

/** With credits, a saved card that works, and no terms yet. */
export const newOwner = async (stripe: StandIn, credits: number): Promise<Owner> => {
  const accountId = newId('account', Date.now(), random);
  const owner = { accountId, card: `pm_${accountId}`, notices: [] };
  await ledgerOf(owner).open({ accountId, label: '' });
  await takeOver(owner);
  if (credits > 0) await ledgerOf(owner).grant({ id: 'first', credits, reason: 'local' });
  stripe.addCard(owner.card);
  expect(await accountOf(owner).saveCard(cardOf(owner.card), Date.now() - DAY)).toBe('saved');
  return owner;
};

export const switchOn = async (of: Owner, { level = 50, pack = 40, limitUsd = 100 }: Terms = {}): Promise<void> => {
  const bought = packOf(pack);
  if (!bought) throw new Error(`no pack of ${pack}`);
  const terms = { level, pack: bought, monthlyLimitCents: limitUsd * 100 };
  expect(['saved', 'unchanged']).toContain(await accountOf(of).setTopUp(terms));
};

export const hold = (of: Owner, images: number) =>
  ledgerOf(of).hold({ batchId: newId('batch', Date.now(), random), images });

/** The alarm, as if at that time. */
export const fire = ({ accountId }: Owner, laterMs = 0): Promise<void> =>
  runInDurableObject(accountStub(accountId), async (object) => {
    const nowMs = Date.now() + laterMs;
    object.now = () => nowMs;
    try {
      await object.alarm();
    } finally {
      object.now = () => Date.now();
    }
  });
/** Sets the object's clock. */
export const clockAt = ({ accountId }: Owner, nowMs: number | null): Promise<void> =>
  runInDurableObject(accountStub(accountId), (object) => {
    object.now = nowMs === null ? () => Date.now() : () => nowMs;
  });
export const fireNow = ({ accountId }: Owner): Promise<void> =>
  runInDurableObject(accountStub(accountId), (object) => object.alarm());

/** Stripe tells of every invoice that was paid, once or more. */
export const deliverPaid = async (stripe: StandIn, times = 1): Promise<void> => {
  for (const { id, status } of stripe.invoices.values()) {
    if (status !== 'paid') continue;
    const body = event('invoice.paid', stripe.invoiceObject(id));
    const answers = await Promise.all(Array.from({ length: times }, () => deliver(body)));
    for (const { status: answered } of answers) expect(answered).toBe(200);
  }
};

export const viewOf = (of: Owner): Promise<TopUpView> => accountOf(of).topUp();
/** Oldest first. */
export const states = async (of: Owner): Promise<string[]> =>
  (await viewOf(of)).last.map(({ state }) => state).reverse();
export const availableOf = async (of: Owner): Promise<number> => (await ledgerOf(of).summary())?.available ?? 0;
