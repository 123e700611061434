/** Spending by key and month: what the ledger charged, attributed to the key that held it, before and after lines are folded. */
import { runInDurableObject } from 'cloudflare:test';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { rollUpDays } from '../../../edge/account/ledger/settled-days.ts';
import { accountSchema } from '../../../edge/account/schema.ts';
import { newId } from '../../../shared/ids.ts';
import type { Spending } from '../../../shared/portal-api.ts';
import { accountIdOf, answerOf, type Customer, registered } from '../portal/customer.ts';
import { fakeOrigin } from '../support/origin.ts';
import { accountStub, audited, ledgerOf } from '../support/service.ts';

afterEach(() => vi.restoreAllMocks());

const random = (n: number): Uint8Array => crypto.getRandomValues(new Uint8Array(n));
const OCTOBER = Date.parse('2026-10-31T23:59:59.999Z');
const NOVEMBER = Date.parse('2026-11-01T00:00:00Z');

type Owner = { readonly customer: Customer; readonly accountId: string };
const owner = async (): Promise<Owner> => {
  const customer = await registered();
  const accountId = await accountIdOf(customer);
  await ledgerOf({ accountId }).grant({ id: 'first', credits: 1_000, reason: 'local' });
  return { customer, accountId };
};
const at = ({ accountId }: Owner, ms: number): Promise<void> =>
  runInDurableObject(accountStub(accountId), (object) => {
    object.now = () => ms;
  });
const makeKey = async ({ customer }: Owner, label: string, mode = 'live'): Promise<string> => {
  const made = await answerOf<{ key: { key_id: string } }>(customer.call('POST', '/keys', { label, mode }));
  return made.key.key_id;
};
/** Images of one batch: the first `posted` are posted, the others voided. */
const run = async (
  of: Owner,
  keyId: string | undefined,
  images: number,
  posted: number,
  mode: 'live' | 'test' = 'live',
) => {
  const batchId = newId('batch', NOVEMBER, random);
  await ledgerOf(of).hold({ batchId, images, mode, ...(keyId === undefined ? {} : { keyId }) });
  const rows = Array.from({ length: images }, (_, index) => ({
    index,
    as: index < posted ? ('posted' as const) : ('voided' as const),
  }));
  await ledgerOf(of).resolve(batchId, rows);
};
const spending = ({ customer }: Owner, month: string): Promise<Spending> =>
  answerOf<Spending>(customer.call('GET', `/spending?month=${month}`));
const rollUp = ({ accountId }: Owner) =>
  runInDurableObject(accountStub(accountId), (_object, { storage }) => rollUpDays(storage));

describe('spending by key', () => {
  it('is what each key was charged in the month in which its images were posted, and adds up to the ledger', async () => {
    const of = await owner();
    const [shop, feed, test] = [
      await makeKey(of, 'Shop'),
      await makeKey(of, 'Feed'),
      await makeKey(of, 'Test', 'test'),
    ];
    await at(of, OCTOBER);
    await run(of, shop, 5, 4);
    await at(of, NOVEMBER);
    await Promise.all([
      ...Array.from({ length: 20 }, () => run(of, feed, 1, 1)),
      ...Array.from({ length: 20 }, () => run(of, shop, 2, 1)),
      run(of, shop, 3, 3),
      run(of, test, 4, 4, 'test'),
    ]);
    const check = async (): Promise<void> => {
      expect(await spending(of, '2026-11')).toEqual({
        month: '2026-11',
        credits: 43,
        amount_usd: '$10.75',
        keys: [
          { key_id: shop, label: 'Shop', credits: 23, amount_usd: '$5.75' },
          { key_id: feed, label: 'Feed', credits: 20, amount_usd: '$5.00' },
        ],
        uncounted: { credits: 0, amount_usd: '$0.00' },
      });
      expect(await spending(of, '2026-10')).toMatchObject({ credits: 4, keys: [{ key_id: shop, credits: 4 }] });
      expect(await spending(of, '2026-09')).toMatchObject({ credits: 0, keys: [] });
    };
    await check();
    expect((await audited(of)).spent).toBe(47);
    // Added up by the alarm, however often.
    expect(await rollUp(of)).toBe('done');
    expect(await rollUp(of)).toBe('nothing');
    await check();
    await run(of, feed, 1, 1);
    expect(await spending(of, '2026-11')).toMatchObject({ credits: 44, keys: [{ credits: 23 }, { credits: 21 }] });
  });

  it('stays when holds and lines are gone two months later, also of a key that was revoked', async () => {
    fakeOrigin();
    const of = await owner();
    const key = await makeKey(of, 'Shop');
    await at(of, NOVEMBER);
    await run(of, key, 30, 29);
    await of.customer.call('POST', `/keys/${key}/revoke`, {});
    const before = await spending(of, '2026-11');
    await runInDurableObject(accountStub(of.accountId), async (object, { storage }) => {
      for (const days of [0.1, 1, 40, 41, 42, 70]) {
        object.now = () => NOVEMBER + days * 86_400_000;
        await object.alarm();
      }
      expect(storage.sql.exec('select count(*) as n from hold').one()['n']).toBe(0);
      expect(storage.sql.exec("select count(*) as n from entry where kind = 'post'").one()['n']).toBe(0);
    });
    expect(await spending(of, '2026-11')).toEqual(before);
    expect(before).toMatchObject({ credits: 29, keys: [{ label: 'Shop', credits: 29 }] });
  });

  it('says what was spent before it was counted by key, once, and counts what the lines still tell', async () => {
    const of = await owner();
    const key = await makeKey(of, 'Shop');
    await at(of, NOVEMBER);
    await run(of, key, 6, 6);
    await run(of, undefined, 2, 2);
    await rollUp(of);
    // The version before: its sums, of which some lines are gone already, and no table by key.
    await runInDurableObject(accountStub(of.accountId), (_object, { storage }) => {
      storage.sql.exec("update settledDay set posted = posted + 10 where day = '2026-11-01'");
      storage.sql.exec('drop table spentMonth');
      storage.transactionSync(() =>
        storage.sql.exec(accountSchema.find((script) => script.includes('table spentMonth')) ?? ''),
      );
    });
    expect(await spending(of, '2026-11')).toMatchObject({
      credits: 18,
      keys: [{ key_id: key, credits: 6 }],
      uncounted: { credits: 12 },
    });
  });

  it('is of the account alone, and of a month', async () => {
    const of = await owner();
    await run(of, await makeKey(of, 'Shop'), 1, 1);
    const stranger = await registered();
    const month = new Date().toISOString().slice(0, 7);
    expect(await spending(of, month)).toMatchObject({ credits: 1 });
    expect(await answerOf(stranger.call('GET', `/spending?month=${month}`))).toMatchObject({ credits: 0, keys: [] });
    for (const wrong of ['', '2026', '2026-13', '2026-1', '2026-11-01', "2026-11'--"])
      expect((await of.customer.call('GET', `/spending?month=${encodeURIComponent(wrong)}`)).status, wrong).toBe(400);
  });
});
