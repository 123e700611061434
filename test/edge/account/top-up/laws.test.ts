/**
 * Random stories of owners, movements, faults and late events, by seed. At every step: one top-up open at most, a month's
 * charges within its limit, no credit without a charge. At the end: every charge brought its credits, and no invoice is
 * left that could still be paid.
 */
import { evictDurableObject } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { seeded } from '../../../support/random.ts';
import { type Fault, type StandIn, stripeStandIn } from '../../payments/stripe-stand-in.ts';
import { accountOf, accountStub, audited, ledgerOf } from '../../support/service.ts';
import {
  cardOf,
  clockAt,
  deliverPaid,
  fireNow,
  hold,
  newOwner,
  type Owner,
  switchOn,
  takeOver,
  viewOf,
} from './owner.ts';

const SEEDS = 8;
const STEPS = 40;
const HOUR = 3_600_000;
const LIMIT_USD = 40;
/** More than a month's limit buys: there is always something to begin. */
const LEVEL = 300;
const FIRST_CREDITS = 30;
const CALLS = ['create', 'item', 'finalize', 'mark', 'pay', 'void', 'read', 'detach'] as const;
const FAULTS: readonly Fault[] = ['lost', 'down', 'broken'];

let stripe: StandIn;
beforeEach(() => {
  for (const level of ['error', 'warn', 'log'] as const) vi.spyOn(console, level).mockImplementation(() => {});
  stripe = stripeStandIn();
});
afterEach(() => vi.restoreAllMocks());

type Story = { readonly of: Owner; readonly random: (n: number) => number; nowMs: number; cards: number };
const monthOf = (ms: number): string => new Date(ms).toISOString().slice(0, 7);

const step = async (story: Story): Promise<void> => {
  const { of, random } = story;
  story.nowMs += random(6) * HOUR;
  await clockAt(of, story.nowMs);
  const what = random(12);
  if (what < 4) await Promise.all(Array.from({ length: 1 + random(6) }, () => hold(of, 1 + random(4))));
  else if (what < 8) await fireNow(of);
  else if (what === 8) stripe.fail(CALLS[random(CALLS.length)] ?? 'pay', FAULTS[random(FAULTS.length)] ?? 'lost');
  else if (what === 9) await deliverPaid(stripe, 1 + random(2));
  else if (what === 10)
    await (random(3) === 0 ? accountOf(of).setTopUp(null) : switchOn(of, { level: LEVEL, limitUsd: LIMIT_USD }));
  else if (random(2) === 0) {
    await evictDurableObject(accountStub(of.accountId));
    await takeOver(of);
  } else {
    const card = `${of.card}_${++story.cards}`;
    stripe.addCard(card, random(3) === 0 ? { code: 'card_declined' } : 'works');
    await accountOf(of).saveCard(cardOf(card), story.nowMs);
  }
};

/** When each charge was seen first, which is not before it was made. */
const check = async ({ of, nowMs }: Story, seen: Map<string, string>): Promise<void> => {
  for (const { invoice } of stripe.charges) if (!seen.has(invoice)) seen.set(invoice, monthOf(nowMs));
  const inMonth = [...seen.values()].filter((month) => month === monthOf(nowMs)).length;
  expect(inMonth * 10).toBeLessThanOrEqual(LIMIT_USD);
  expect((await viewOf(of)).last.filter(({ endedAtMs }) => endedAtMs === null).length).toBeLessThan(2);
  const granted = ((await ledgerOf(of).summary())?.granted ?? 0) - FIRST_CREDITS;
  expect(granted).toBeLessThanOrEqual(stripe.charges.length * 40);
};

describe('whatever happens', () => {
  it.each(Array.from({ length: SEEDS }, (_, seed) => seed))('the laws of a top-up hold, seed %i', async (seed) => {
    const of = await newOwner(stripe, FIRST_CREDITS);
    await switchOn(of, { level: LEVEL, limitUsd: LIMIT_USD });
    const random = seeded(seed);
    const story = { of, random: (n: number) => random.integer(0, n - 1), nowMs: Date.now(), cards: 0 };
    const seen = new Map<string, string>();
    for (let i = 0; i < STEPS; i++) {
      await step(story);
      await check(story, seen);
    }
    // The faults end, the owner switches it off, and Stripe tells what it has not told.
    for (const call of CALLS) stripe.fail(call);
    await accountOf(of).setTopUp(null);
    for (let i = 0; i < 12; i++) {
      story.nowMs += 3 * HOUR;
      await clockAt(of, story.nowMs);
      await fireNow(of);
      await deliverPaid(stripe);
    }
    await check(story, seen);
    const { granted } = await audited(of);
    expect(granted - FIRST_CREDITS).toBe(stripe.charges.length * 40);
    expect([...stripe.invoices.values()].filter(({ status }) => status === 'open')).toEqual([]);
    expect((await viewOf(of)).last.filter(({ endedAtMs }) => endedAtMs === null)).toEqual([]);
    expect(new Set(stripe.charges.map(({ invoice }) => invoice)).size).toBe(stripe.charges.length);
  });
});
