/** A low balance: told by mail once for each crossing, whatever happens at once or fails on the way. */
import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { edgeLimits } from '../../../edge/limits.ts';
import { lowBalanceMailer } from '../../../edge/portal/low-balance.ts';
import { newId } from '../../../shared/ids.ts';
import type { AuditPage, BalanceAlert, OutboxEntry } from '../../../shared/portal-api.ts';
import { checkoutOf, deliver, event, refundOf } from '../payments/stripe-events.ts';
import {
  accountIdOf,
  answerOf,
  balanceOf,
  type Customer,
  mailsTo,
  PASSWORD,
  registered,
  rows,
} from '../portal/customer.ts';
import { accountStub, audited, bindings, ledgerOf } from '../support/service.ts';

afterEach(() => vi.restoreAllMocks());

const random = (n: number): Uint8Array => crypto.getRandomValues(new Uint8Array(n));
const newBatch = (): string => newId('batch', Date.now(), random);

type Owner = { readonly customer: Customer; readonly accountId: string };
const owner = async (credits: number, level: number | null): Promise<Owner> => {
  const customer = await registered();
  const accountId = await accountIdOf(customer);
  await ledgerOf({ accountId }).grant({ id: 'first', credits, reason: 'local' });
  if (level !== null) expect((await customer.call('POST', '/balance-alert', { level })).status).toBe(200);
  return { customer, accountId };
};
const hold = async (of: Owner, images: number): Promise<string> => {
  const batchId = newBatch();
  expect(await ledgerOf(of).hold({ batchId, images })).toMatchObject({ result: 'held' });
  return batchId;
};
const settle = (of: Owner, batchId: string, images: number, as: 'posted' | 'voided') =>
  ledgerOf(of).resolve(
    batchId,
    Array.from({ length: images }, (_, index) => ({ index, as })),
  );
const spend = async (of: Owner, images: number): Promise<void> => {
  await settle(of, await hold(of, images), images, 'posted');
};
/** Rows as the account's object has them. */
const crossingRows = ({ accountId }: Owner) =>
  runInDurableObject(accountStub(accountId), (_object, { storage }) =>
    storage.sql
      .exec<{ level: number; balance: number; tries: number; dueAtMs: number | null }>(
        'select level, balance, tries, dueAtMs from balanceCrossing order by crossing',
      )
      .toArray(),
  );
const crossings = async (of: Owner) => (await crossingRows(of)).map(({ level, balance }) => [level, balance]);
/** The account's alarm as if so much later. */
const fire = ({ accountId }: Owner, laterMs = 0): Promise<void> =>
  runInDurableObject(accountStub(accountId), async (object) => {
    const nowMs = Date.now() + laterMs;
    object.now = () => nowMs;
    await object.alarm();
  });
const lowMails = async ({ customer }: Owner): Promise<OutboxEntry[]> =>
  (await mailsTo(customer)).filter(({ subject }) => subject.startsWith('Your balance fell'));
/** All mails there will be, after the alarm had every reason to send one more. */
const mailsAfterAll = async (of: Owner): Promise<OutboxEntry[]> => {
  for (const laterMs of [0, 60_000, 3_600_000]) await fire(of, laterMs);
  return lowMails(of);
};

describe('a level', () => {
  it('is crossed once by 50 requests at once, at the very credit, and told by one mail', async () => {
    const of = await owner(100, 60);
    const batches = await Promise.all(Array.from({ length: 50 }, () => hold(of, 1)));
    // Held is not used: half of it may come back.
    expect(await crossings(of)).toEqual([]);
    await Promise.all(batches.map((batchId) => settle(of, batchId, 1, 'posted')));
    expect(await audited(of)).toMatchObject({ available: 50, held: 0, spent: 50 });
    expect(await crossings(of)).toEqual([[60, 60]]);
    const [mail, ...more] = await mailsAfterAll(of);
    expect(more).toEqual([]);
    expect(mail?.subject).toBe('Your balance fell to 60 credits');
    expect(mail?.body).toMatch(/fell to 60 credits \(\$15\.00\) on .* UTC\. You asked to be told at 60 credits\./);
  });

  it('is not crossed by images that are held and come back, however often', async () => {
    const of = await owner(50, 49);
    for (let i = 0; i < 5; i++) await settle(of, await hold(of, 50), 50, 'voided');
    const given = await hold(of, 50);
    await ledgerOf(of).release(given);
    expect(await crossings(of)).toEqual([]);
    expect(await mailsAfterAll(of)).toEqual([]);
  });

  it('is crossed again only after the balance has been above it', async () => {
    const of = await owner(10, 5);
    await spend(of, 7);
    await spend(of, 1);
    await ledgerOf(of).grant({ id: 'to the level', credits: 3, reason: 'local' });
    await spend(of, 1);
    expect(await crossings(of)).toEqual([[5, 3]]);
    await ledgerOf(of).grant({ id: 'above it', credits: 2, reason: 'local' });
    await spend(of, 1);
    expect(await crossings(of)).toEqual([
      [5, 3],
      [5, 5],
    ]);
    expect(await mailsAfterAll(of)).toHaveLength(2);
  });

  it('is crossed by money that goes back, and told though the balance is below zero', async () => {
    const of = await owner(1, 100);
    const paid = `pi_${crypto.randomUUID()}`;
    await deliver(event('checkout.session.completed', checkoutOf(of.accountId, paid)));
    await spend(of, 30);
    const refund = event('refund.created', refundOf(paid, `re_${paid}`, 25_000));
    await Promise.all([deliver(refund), deliver(refund)]);
    expect(await balanceOf(of.customer)).toBe(-29);
    expect(await crossings(of)).toEqual([[100, -29]]);
    expect((await mailsAfterAll(of))[0]?.subject).toBe('Your balance fell to -29 credits');
  });

  it('at or above the balance is not crossed by being set, and none is where there is none', async () => {
    const of = await owner(10, 10);
    await spend(of, 1);
    expect((await of.customer.call('POST', '/balance-alert', { level: null })).status).toBe(200);
    await spend(of, 9);
    expect(await crossings(of)).toEqual([]);
    const never = await owner(10, null);
    await spend(never, 10);
    expect(await mailsAfterAll(never)).toEqual([]);
  });

  it('is told of by a test key never', async () => {
    const of = await owner(10, 9);
    const batchId = newBatch();
    await ledgerOf(of).hold({ batchId, images: 10, mode: 'test' });
    await settle(of, batchId, 10, 'posted');
    expect(await crossings(of)).toEqual([]);
  });
});

describe('the mail of a crossing', () => {
  const outboxFails = (): Promise<unknown> =>
    bindings.DB.exec(
      `create trigger down before insert on outbox when new.once is not null begin select raise(abort, 'down'); end`,
    );

  it('is sent after a failure and a restart, once', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    vi.spyOn(console, 'log').mockImplementation(() => {});
    const of = await owner(10, 5);
    await outboxFails();
    await spend(of, 5);
    await fire(of);
    expect(await lowMails(of)).toEqual([]);
    await evictDurableObject(accountStub(of.accountId));
    await bindings.DB.exec('drop trigger down');
    await fire(of, 10 * 60_000);
    await fire(of, 3_600_000);
    expect(await lowMails(of)).toHaveLength(1);
  });

  it('is one where the answer of the mail API was lost', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    vi.spyOn(console, 'log').mockImplementation(() => {});
    const of = await owner(10, 5);
    const batch = bindings.DB.batch.bind(bindings.DB);
    let lost = 0;
    const spy = vi.spyOn(bindings.DB, 'batch').mockImplementation(async (statements) => {
      await batch(statements);
      lost++;
      throw new Error('the answer was lost');
    });
    await spend(of, 5);
    await fire(of);
    expect(lost).toBeGreaterThan(0);
    spy.mockRestore();
    expect(await mailsAfterAll(of)).toHaveLength(1);
    const [row] = await crossingRows(of);
    expect(row?.tries).toBeGreaterThan(1);
    expect(row?.dueAtMs).toBeNull();
  });

  it('is the same for the mail API in each try: one Idempotency-Key, one body', async () => {
    const asked: (readonly [string | null, string])[] = [];
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (_url, init) => {
      asked.push([new Headers(init?.headers).get('idempotency-key'), String(init?.body)]);
      return asked.length === 1
        ? Promise.reject(new Error('the answer was lost'))
        : new Response(null, { status: 200 });
    });
    const of = await owner(10, null);
    const tell = lowBalanceMailer({
      ...bindings,
      ENVIRONMENT: 'production',
      PUBLIC_BASE_URL: 'https://packshot.example',
      AUTH_SECRET: 'x'.repeat(40),
      STRIPE_SECRET_KEY: 'sk_live_of_stripe',
      STRIPE_WEBHOOK_SECRET: `whsec_${'s'.repeat(32)}`,
      MAIL_API_URL: 'https://mail.example/send',
      MAIL_API_KEY: 'k',
      MAIL_FROM: 'packshot <hello@packshot.example>',
    });
    const crossing = { crossing: 3, level: 5, balance: 5, atMs: Date.parse('2026-11-22T18:05:00Z') };
    await expect(tell(of.accountId, crossing)).rejects.toThrow('lost');
    expect(await tell(of.accountId, crossing)).toBe('told');
    expect(asked).toHaveLength(2);
    expect(asked[1]).toEqual(asked[0]);
    expect(asked[0]?.[0]).toMatch(new RegExp(`^low-balance/${of.accountId}/3/\\w+$`));
    expect(JSON.parse(asked[0]?.[1] ?? '')).toMatchObject({ to: [of.customer.email] });
    expect(await tell(newId('account', Date.now(), random), crossing)).toBe('nobody');
  });

  it('is given up, and logged, before the mail API forgets that it knows it', async () => {
    const logged: string[] = [];
    for (const level of ['error', 'warn', 'log'] as const)
      vi.spyOn(console, level).mockImplementation((line) => void logged.push(String(line)));
    const of = await owner(10, 5);
    await outboxFails();
    await spend(of, 5);
    let tries = 0;
    for (let laterMs = 0; laterMs < 30 * 3_600_000; laterMs += 30 * 60_000) {
      await fire(of, laterMs);
      tries = (await crossingRows(of))[0]?.tries ?? 0;
    }
    await bindings.DB.exec('drop trigger down');
    await fire(of, 31 * 3_600_000);
    expect(await lowMails(of)).toEqual([]);
    expect(logged.filter((line) => line.includes('low_balance_not_told'))).toHaveLength(1);
    expect(tries).toBeGreaterThan(5);
    expect(tries).toBeLessThan(25);
    expect(edgeLimits.balanceAlert.triesMsMax).toBeLessThan(24 * 3_600_000);
  });

  it('is not tried later than that, though every try before died without a word', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    const of = await owner(10, 5);
    await outboxFails();
    await spend(of, 5);
    await fire(of);
    await bindings.DB.exec('drop trigger down');
    await fire(of, edgeLimits.balanceAlert.triesMsMax + 60_000);
    expect(await lowMails(of)).toEqual([]);
    expect((await crossingRows(of))[0]?.dueAtMs).toBeNull();
  });

  it('is not sent to whoever deletes the account', async () => {
    const of = await owner(10, 5);
    const answer = await of.customer.call('POST', '/account/delete', { password: PASSWORD, forfeited_credits: 10 });
    expect(answer.status).toBe(200);
    expect(await crossings(of)).toEqual([]);
    await fire(of);
    expect(await rows('select id from outbox where recipient = ? and once is not null', of.customer.email)).toEqual([]);
  });
});

describe('the setting', () => {
  it('is off at first, shown with the last crossing, in the audit log, and nobody else’s', async () => {
    const of = await owner(10, null);
    const show = () => answerOf<BalanceAlert>(of.customer.call('GET', '/balance-alert'));
    expect(await show()).toEqual({ level: null, last: null });
    await of.customer.call('POST', '/balance-alert', { level: 8 });
    await spend(of, 3);
    expect(await show()).toMatchObject({ level: 8, last: { level: 8, balance: 7 } });
    const { rows: events } = await answerOf<AuditPage>(of.customer.call('GET', '/audit'));
    expect(events).toContainEqual(expect.objectContaining({ action: 'money.alert_changed', detail: 'at 8 credits' }));
    const stranger = await registered();
    expect(await answerOf(stranger.call('GET', '/balance-alert'))).toEqual({ level: null, last: null });
  });

  it('takes whole credits from 1 to a million, or null', async () => {
    const of = await owner(10, 3);
    for (const level of [0, -1, 1.5, 1_000_001, '5', undefined, 1e21])
      expect((await of.customer.call('POST', '/balance-alert', { level })).status, String(level)).toBe(400);
    expect(await answerOf(of.customer.call('GET', '/balance-alert'))).toMatchObject({ level: 3 });
  });
});
