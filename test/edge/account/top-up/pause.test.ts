/** What stops automatic top-up: a card that does not work, money that goes back, the owner, the end of the account. */
import { runInDurableObject } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { edgeLimits } from '../../../../edge/limits.ts';
import { deliver, disputeOf, event, refundOf } from '../../payments/stripe-events.ts';
import { type Refusal, type StandIn, stripeStandIn } from '../../payments/stripe-stand-in.ts';
import { accountOf, accountStub, audited, ledgerOf } from '../../support/service.ts';
import {
  availableOf,
  cardOf,
  clockAt,
  DAY,
  deliverPaid,
  fire,
  hold,
  newOwner,
  type Owner,
  states,
  switchOn,
  viewOf,
} from './owner.ts';

let stripe: StandIn;
beforeEach(() => {
  for (const level of ['error', 'warn', 'log'] as const) vi.spyOn(console, level).mockImplementation(() => {});
  stripe = stripeStandIn();
});
afterEach(() => vi.restoreAllMocks());

const HOUR = 3_600_000;
const low = (): Promise<Owner> => newOwner(stripe, 10);
const twoDays = async (of: Owner): Promise<void> => {
  for (let laterMs = 0; laterMs < 2 * DAY; laterMs += 4 * HOUR) await fire(of, laterMs);
};
const whats = (of: Owner) => of.notices.map(({ what }) => what);
/** Bought for once. */
const toppedUp = async (): Promise<Owner & { readonly paid: string }> => {
  const of = await low();
  await switchOn(of, { level: 15 });
  await fire(of);
  await deliverPaid(stripe);
  await fire(of);
  const paid = [...stripe.invoices.values()].at(-1)?.paymentIntent ?? '';
  return { ...of, paid };
};

describe('a card that is refused', () => {
  const refusals: [Refusal, string][] = [
    [{ code: 'card_declined', decline_code: 'insufficient_funds' }, 'card_declined'],
    [{ code: 'card_declined', decline_code: 'authentication_required' }, 'authentication_required'],
    [{ code: 'invoice_payment_intent_requires_action' }, 'authentication_required'],
    [{ code: 'expired_card' }, 'card_expired'],
  ];
  it.each(refusals)('%j pauses as %s, is not tried again, and the owner is told once', async (refusal, pause) => {
    const of = await low();
    stripe.addCard(of.card, refusal);
    await switchOn(of, { level: 15 });
    await fire(of);
    await hold(of, 1);
    await twoDays(of);
    expect(stripe.calls.filter((call) => call === 'pay')).toHaveLength(1);
    expect([...stripe.invoices.values()].map(({ status }) => status)).toEqual(['void']);
    expect(await viewOf(of)).toMatchObject({ isOn: true, pause, last: [{ state: 'declined', reason: pause }] });
    expect(whats(of)).toEqual([pause]);
  });

  it('because it was removed at Stripe pauses, and another card ends the pause', async () => {
    const of = await low();
    stripe.detached.push(of.card);
    await switchOn(of, { level: 15 });
    await fire(of);
    expect(await viewOf(of)).toMatchObject({ pause: 'card_removed' });
    stripe.addCard('pm_new');
    expect(await accountOf(of).saveCard(cardOf('pm_new'), Date.now())).toBe('saved');
    await fire(of);
    expect(stripe.charges).toMatchObject([{ paymentMethod: 'pm_new' }]);
    expect(await viewOf(of)).toMatchObject({ pause: null });
  });

  it('whose refusal got lost is refused once', async () => {
    const of = await low();
    stripe.addCard(of.card, { code: 'card_declined' });
    await switchOn(of, { level: 15 });
    stripe.fail('pay', 'lost');
    stripe.fail('void', 'lost');
    await twoDays(of);
    expect(await states(of)).toEqual(['declined']);
    expect(whats(of)).toEqual(['card_declined']);
    expect(stripe.charges).toEqual([]);
  });
});

describe('money that goes back', () => {
  it('by a refund of a top-up pauses, so that nobody pays again for what was refunded', async () => {
    const of = await toppedUp();
    const refund = event('refund.created', refundOf(of.paid, `re_${of.paid}`, 1_000));
    await Promise.all([deliver(refund), deliver(refund)]);
    await twoDays(of);
    expect(await availableOf(of)).toBe(10);
    expect(stripe.charges).toHaveLength(1);
    expect(await viewOf(of)).toMatchObject({ isOn: true, pause: 'refunded' });
    expect(whats(of)).toEqual(['charged', 'refunded']);
    await switchOn(of, { level: 15 });
    await fire(of);
    expect(stripe.charges).toHaveLength(2);
    await audited(of);
  });

  it('is not forgotten while a card is refused: another card ends no pause then', async () => {
    const of = await toppedUp();
    stripe.addCard(of.card, { code: 'card_declined' });
    await hold(of, 40);
    await fire(of);
    expect(await viewOf(of)).toMatchObject({ pause: 'card_declined' });
    await deliver(event('refund.created', refundOf(of.paid, `re_${of.paid}`, 1_000)));
    expect(await viewOf(of)).toMatchObject({ pause: 'refunded' });
    stripe.addCard('pm_new');
    await accountOf(of).saveCard(cardOf('pm_new'), Date.now());
    await twoDays(of);
    expect(stripe.charges).toHaveLength(1);
    expect(whats(of)).toEqual(['charged', 'card_declined', 'refunded']);
  });

  it.each([
    ['refunded', (id: string) => event('refund.created', refundOf(id, `re_${id}`, 1))],
    ['disputed', (id: string) => event('charge.dispute.funds_withdrawn', disputeOf(id, `dp_${id}`, 1))],
  ] as const)('pauses as %s too where it is worth no whole credit', async (pause, told) => {
    const of = await toppedUp();
    await deliver(told(of.paid));
    expect(await availableOf(of)).toBe(50);
    expect(await viewOf(of)).toMatchObject({ pause });
  });

  it('by a dispute of a top-up switches it off, for another card too', async () => {
    const of = await toppedUp();
    await deliver(event('charge.dispute.funds_withdrawn', disputeOf(of.paid, `dp_${of.paid}`, 1_000)));
    await accountOf(of).saveCard(cardOf('pm_other'), Date.now());
    await twoDays(of);
    expect(stripe.charges).toHaveLength(1);
    expect(await viewOf(of)).toMatchObject({ isOn: false, pause: 'disputed' });
    expect(whats(of)).toEqual(['charged', 'disputed']);
  });

  it('before its payment is heard of pauses all the same, and leaves no credit', async () => {
    const of = await low();
    await switchOn(of, { level: 15 });
    await fire(of);
    const paid = [...stripe.invoices.values()][0]?.paymentIntent ?? '';
    await deliver(event('refund.created', refundOf(paid, `re_${paid}`, 1_000)));
    await deliverPaid(stripe);
    await twoDays(of);
    expect(await availableOf(of)).toBe(10);
    expect(stripe.charges).toHaveLength(1);
    expect(await viewOf(of)).toMatchObject({ pause: 'refunded', last: [{ state: 'succeeded' }] });
  });
});

describe('a balance that is lifted otherwise while one is open', () => {
  it.each(['create', 'item', 'finalize', 'mark'])('during %s stops it before the card is charged', async (call) => {
    const of = await low();
    await switchOn(of, { level: 15 });
    stripe.during(async (name) => {
      if (name !== call) return;
      stripe.during(async () => {});
      await ledgerOf(of).grant({ id: 'by-hand', credits: 200, reason: 'purchase' });
    });
    await fire(of);
    expect(stripe.charges).toEqual([]);
    expect(await states(of)).toEqual(['stopped']);
    expect([...stripe.invoices.values()].filter(({ status }) => status === 'open' || status === 'draft')).toEqual([]);
    expect(await viewOf(of)).toMatchObject({ isOn: true, pause: null, waiting: null });
    await hold(of, 200);
    await fire(of);
    await deliverPaid(stripe);
    expect(stripe.charges).toHaveLength(1);
  });
});

describe('top-ups that brought no credits', () => {
  it('are forgotten but for the newest', async () => {
    const of = await low();
    const { fruitlessKeptMax } = edgeLimits.topUp;
    for (let i = 0; i <= fruitlessKeptMax + 1; i++) await switchOn(of, { level: 15 + (i % 2) });
    await fire(of);
    await deliverPaid(stripe);
    await fire(of);
    const kept = await runInDurableObject(accountStub(of.accountId), (_object, { storage }) =>
      storage.sql.exec<{ state: string }>('select state from topUp').toArray(),
    );
    expect(kept).toHaveLength(fruitlessKeptMax);
    expect(kept.at(-1)).toEqual({ state: 'succeeded' });
  });
});

describe('settings that change while one is open', () => {
  it('stop what was not asked for, and begin what is needed under the new ones', async () => {
    const of = await low();
    await switchOn(of, { level: 15 });
    await switchOn(of, { level: 15, pack: 200 });
    await fire(of);
    await deliverPaid(stripe);
    expect(await states(of)).toEqual(['stopped', 'succeeded']);
    expect(await availableOf(of)).toBe(210);
  });

  it.each(['create', 'finalize', 'pay'])(
    'during %s never leave two charges, nor one that brings no credits',
    async (call) => {
      const of = await low();
      await switchOn(of, { level: 15 });
      stripe.during(async (name) => {
        if (name !== call) return;
        stripe.during(async () => {});
        await accountOf(of).setTopUp(null);
      });
      await fire(of);
      await deliverPaid(stripe);
      await twoDays(of);
      const charged = stripe.charges.length;
      expect(charged).toBe(call === 'pay' ? 1 : 0);
      expect(await availableOf(of)).toBe(10 + charged * 40);
      expect(await viewOf(of)).toMatchObject({ isOn: false });
      expect([...stripe.invoices.values()].filter(({ status }) => status === 'open' || status === 'draft')).toEqual([]);
    },
  );

  it('to off after a lost answer close the invoice, or take the credits that it paid', async () => {
    for (const fault of ['down', 'lost'] as const) {
      const of = await low();
      await switchOn(of, { level: 15 });
      stripe.fail('pay', fault);
      await fire(of);
      await accountOf(of).setTopUp(null);
      await fire(of);
      await deliverPaid(stripe);
      expect(await states(of)).toEqual([fault === 'down' ? 'stopped' : 'succeeded']);
      expect(await availableOf(of)).toBe(fault === 'down' ? 10 : 50);
    }
    expect(stripe.charges).toHaveLength(1);
  });
});

describe('a card', () => {
  it('that is removed is charged no more, and detached at Stripe', async () => {
    const of = await low();
    await switchOn(of, { level: 15 });
    stripe.fail('detach', 'down', 'lost');
    await accountOf(of).removeCard();
    await twoDays(of);
    expect(stripe.charges).toEqual([]);
    expect(stripe.detached).toEqual([of.card]);
    expect(await viewOf(of)).toMatchObject({ isOn: false, card: null, last: [{ state: 'stopped' }] });
    expect(
      await accountOf(of).setTopUp({ level: 1, pack: { credits: 40, usdCents: 1_000 }, monthlyLimitCents: 1_000 }),
    ).toBe('no_card');
  });

  it('that is replaced is detached, and one from before that comes late is not kept', async () => {
    const of = await low();
    stripe.addCard('pm_second');
    stripe.addCard('pm_late');
    const nowMs = Date.now();
    await accountOf(of).saveCard(cardOf('pm_second'), nowMs);
    expect(await accountOf(of).saveCard(cardOf('pm_second'), nowMs)).toBe('known');
    expect(await accountOf(of).saveCard(cardOf('pm_late'), nowMs - 5_000)).toBe('outdated');
    await fire(of);
    expect(stripe.detached.toSorted()).toEqual([of.card, 'pm_late'].toSorted());
    expect(await viewOf(of)).toMatchObject({ card: { paymentMethod: 'pm_second' } });
  });

  it('that is being charged keeps its account from being closed, until its credits are there', async () => {
    const of = await low();
    await switchOn(of, { level: 15 });
    const said: string[] = [];
    stripe.during(async () => void said.push(await accountOf(of).closeTopUp()));
    await fire(of);
    said.push(await accountOf(of).closeTopUp());
    stripe.during(async () => {});
    expect(said).toEqual(said.map(() => 'charging'));
    expect(await viewOf(of)).toMatchObject({ isOn: true, isCharging: true });
    await deliverPaid(stripe);
    expect(await accountOf(of).closeTopUp()).toBe('closed');
    expect(await availableOf(of)).toBe(50);
  });

  it('of an account that is closed is not charged after it, whatever is delivered later', async () => {
    const of = await low();
    await switchOn(of, { level: 15 });
    stripe.fail('finalize', 'lost');
    await fire(of);
    await clockAt(of, Date.now() + 25 * HOUR);
    expect(await accountOf(of).closeTopUp()).toBe('closed');
    await ledgerOf(of).adjust({ id: 'forfeit', credits: -10, reason: 'correction' });
    stripe.addCard('pm_after');
    expect(await accountOf(of).saveCard(cardOf('pm_after'), Date.now() + DAY)).toBe('outdated');
    for (let hours = 25; hours < 50; hours += 4) await fire(of, hours * HOUR);
    expect(stripe.charges).toEqual([]);
    expect(stripe.detached.toSorted()).toEqual([of.card, 'pm_after'].toSorted());
    expect([...stripe.invoices.values()].filter(({ status }) => status === 'open')).toEqual([]);
    expect(await viewOf(of)).toMatchObject({ isOn: false, card: null, terms: null });
  });

  it('other than the one that its owner consented to is not charged for that', async () => {
    const of = await low();
    stripe.addCard('pm_other');
    await accountOf(of).saveCard(cardOf('pm_other'), Date.now());
    const terms = { level: 15, pack: { credits: 40, usdCents: 1_000 }, monthlyLimitCents: 1_000 };
    expect(await accountOf(of).setTopUp(terms, of.card)).toBe('card_changed');
    await fire(of);
    expect(stripe.charges).toEqual([]);
    expect(await accountOf(of).setTopUp(terms, 'pm_other')).toBe('saved');
    expect(await accountOf(of).setTopUp(terms, 'pm_other')).toBe('unchanged');
  });
});
