/** Never more than the month's limit, under a race, at its border and across the month's end. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type StandIn, stripeStandIn } from '../../payments/stripe-stand-in.ts';
import { accountOf } from '../../support/service.ts';
import {
  availableOf,
  clockAt,
  deliverPaid,
  fireNow,
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

const MINUTE = 60_000;
const END = Date.UTC(2027, 0, 1);
/** Buys as long as anything is bought. */
const buyAll = async (of: Owner): Promise<void> => {
  for (let round = 0; round < 6; round++) {
    await fireNow(of);
    await deliverPaid(stripe);
  }
};

describe('a month’s limit', () => {
  it('is kept to the cent by requests at once, and told once', async () => {
    const of = await newOwner(stripe, 10);
    await switchOn(of, { level: 1_000, limitUsd: 29 });
    for (let round = 0; round < 5; round++) {
      await Promise.all(Array.from({ length: 20 }, () => hold(of, 1)));
      await buyAll(of);
    }
    expect(stripe.charges.reduce((sum, { cents }) => sum + cents, 0)).toBe(2_000);
    const { waiting, monthCents, pause } = await viewOf(of);
    expect([waiting?.for, monthCents, pause]).toEqual(['month', 2_000, null]);
    expect(of.notices.filter(({ what }) => what === 'month_limit')).toHaveLength(1);
  });

  it('that is met exactly is not passed, and one that is raised goes on at once', async () => {
    const of = await newOwner(stripe, 10);
    await switchOn(of, { level: 1_000, limitUsd: 20 });
    await buyAll(of);
    expect(stripe.charges).toHaveLength(2);
    await switchOn(of, { level: 1_000, limitUsd: 30 });
    await buyAll(of);
    expect(stripe.charges).toHaveLength(3);
    await switchOn(of, { level: 1_000, limitUsd: 10 });
    await buyAll(of);
    expect(stripe.charges).toHaveLength(3);
  });

  it('begins anew with the UTC month, without a movement', async () => {
    const of = await newOwner(stripe, 0);
    await clockAt(of, END - MINUTE);
    await switchOn(of, { level: 10, pack: 40, limitUsd: 10 });
    await fireNow(of);
    await deliverPaid(stripe);
    await hold(of, 40);
    await fireNow(of);
    await clockAt(of, END - 1);
    await fireNow(of);
    expect(stripe.charges).toHaveLength(1);
    expect(await viewOf(of)).toMatchObject({ waiting: { for: 'month', untilMs: END } });
    await clockAt(of, END);
    await fireNow(of);
    expect(await states(of)).toEqual(['succeeded', 'paid']);
    await fireNow(of);
    expect(stripe.charges).toHaveLength(2);
  });

  it('counts what is open over the month’s end in both months', async () => {
    const of = await newOwner(stripe, 0);
    await clockAt(of, END - MINUTE);
    await switchOn(of, { level: 100, limitUsd: 10 });
    await fireNow(of);
    await clockAt(of, END + MINUTE);
    await deliverPaid(stripe);
    await hold(of, 1);
    await fireNow(of);
    expect(await availableOf(of)).toBe(39);
    expect(stripe.charges).toHaveLength(1);
    expect(await viewOf(of)).toMatchObject({ monthCents: 1_000, waiting: { for: 'month' } });
  });

  it('does not count what was not charged', async () => {
    const of = await newOwner(stripe, 0);
    stripe.addCard(of.card, { code: 'card_declined' });
    await switchOn(of, { level: 100, limitUsd: 10 });
    await fireNow(of);
    expect(await states(of)).toEqual(['declined']);
    expect(await viewOf(of)).toMatchObject({ monthCents: 0 });
    stripe.addCard(of.card);
    await switchOn(of, { level: 30, limitUsd: 10 });
    await buyAll(of);
    expect(stripe.charges).toHaveLength(1);
  });

  it('has a bound of its own, and every credit that was bought is paid for', async () => {
    const of = await newOwner(stripe, 0);
    await switchOn(of, { level: 100_000, pack: 1_000, limitUsd: 1_000 });
    for (let round = 0; round < 6; round++) {
      await fireNow(of);
      await deliverPaid(stripe, 2);
      expect((await accountOf(of).topUp()).last.filter(({ endedAtMs }) => endedAtMs === null).length).toBeLessThan(2);
    }
    const cents = stripe.charges.reduce((sum, charge) => sum + charge.cents, 0);
    expect(cents).toBe(100_000);
    expect(await availableOf(of)).toBe(cents / 25);
  });
});
