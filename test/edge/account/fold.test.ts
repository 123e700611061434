/** Old lines of the ledger leave it for a signed checkpoint, and nothing that depends on them changes. */
import { runInDurableObject } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Account } from '../../../edge/account/account.ts';
import { BatchSaga } from '../../../edge/batch/batch-saga.ts';
import { edgeLimits } from '../../../edge/limits.ts';
import { newId } from '../../../shared/ids.ts';
import { chained, signCheckpoint } from '../../../shared/ledger-checkpoint.ts';
import { signingKey } from '../../support/service-keys.ts';
import { type FakeOrigin, fakeOrigin } from '../support/origin.ts';
import { accountStub, entriesOf, ledgerOf, newAccount, type TestAccount } from '../support/service.ts';

let origin: FakeOrigin;
let account: TestAccount;
let batchId: string;
beforeEach(async () => {
  origin = fakeOrigin();
  account = await newAccount(1_000);
  batchId = newId('batch', Date.now(), random);
});
afterEach(() => vi.restoreAllMocks());

const DAY_MS = 86_400_000;
const random = (n: number): Uint8Array => crypto.getRandomValues(new Uint8Array(n));
const inAccount = <T>(work: (object: Account, state: DurableObjectState) => T | Promise<T>): Promise<T> =>
  runInDurableObject(accountStub(account.accountId), work);
const rowsIn = (table: string): Promise<number> =>
  inAccount((_object, { storage }) => storage.sql.exec<{ n: number }>(`select count(*) as n from ${table}`).one().n);

/** The account's alarm as if so much later, as often as it asks to go on. */
const wakeAfter = (ms: number): Promise<void> =>
  inAccount(async (object, state) => {
    object.now = () => Date.now() + ms;
    for (let run = 0; run < 200; run++) {
      await object.alarm();
      const atMs = await state.storage.getAlarm();
      if (atMs === null || atMs > object.now()) return;
    }
    throw new Error('the alarm never finished');
  });
/** A line for each image. */
const settle = async (images: number, of = batchId): Promise<void> => {
  await ledgerOf(account).hold({ batchId: of, images });
  await inAccount(async (object) => {
    for (let index = 0; index < images; index++)
      await object.resolve(of, [{ index, as: index % 5 === 0 ? 'voided' : 'posted' }]);
  });
};
const mine = () =>
  origin.exports.flatMap(({ entries }) => entries).filter((entry) => entry.account_id === account.accountId);

describe('lines older than 30 days', () => {
  it('are folded into one checkpoint that origin can compute again from what it was sent', async () => {
    await settle(300);
    await wakeAfter(60_000);
    expect(await ledgerOf(account).checkpoint()).toBeUndefined();
    await wakeAfter(edgeLimits.ledger.entriesKeptMs + 60_000);
    const { keyId, signature, madeAtMs, ...signed } = (await ledgerOf(account).checkpoint())!;
    expect(signed).toMatchObject({ throughSequence: 302, granted: 1_000, available: 760, held: 0, spent: 240 });
    expect(mine().map(({ seq }) => seq)).toEqual(Array.from({ length: 302 }, (_, i) => i + 1));
    expect(signed.chain).toBe(await chained('', mine()));
    const again = await signCheckpoint(account.accountId, signed, signingKey);
    expect({ keyId, signature }).toEqual(again);
    const other = { ...signed, available: 761, spent: 239 };
    expect((await signCheckpoint(account.accountId, other, signingKey)).signature).not.toBe(signature);
    expect(madeAtMs).toBeGreaterThan(0);
  });

  it('leave grants, totals, usage and every command as they were', async () => {
    const ledger = ledgerOf(account);
    await ledger.grant({ id: 'pay_1', credits: 50, reason: 'purchase', reference: 'pay_1' });
    await ledger.adjust({ id: 're_1', credits: -20, reason: 'refund', reference: 'pay_1' });
    await settle(100);
    const before = [await ledger.summary(), await ledger.settledByDay(0)];
    await wakeAfter(edgeLimits.ledger.entriesKeptMs + 60_000);
    expect([await ledger.summary(), await ledger.settledByDay(0)]).toEqual(before);
    expect((await entriesOf(account)).map(({ kind, credits }) => [kind, credits])).toEqual([
      ['grant', 1_000],
      ['grant', 50],
      ['adjust', -20],
    ]);
    expect((await ledger.entries({ kind: 'grant' })).rows.map(({ reference }) => reference)).toEqual(['pay_1', null]);
    expect(await ledger.grant({ id: 'pay_1', credits: 50, reason: 'purchase' })).toEqual({ result: 'already_granted' });
    expect(await ledger.adjust({ id: 're_1', credits: -20, reason: 'refund' })).toEqual({ result: 'already_adjusted' });
    expect(await ledger.hold({ batchId, images: 100 })).toMatchObject({ result: 'already_held' });
    expect(await ledger.resolve(batchId, [{ index: 1, as: 'voided' }])).toEqual([{ result: 'already_posted' }]);
    const next = newId('batch', Date.now(), random);
    expect(await ledger.hold({ batchId: next, images: 1 })).toMatchObject({ result: 'held', available: 949 });
    expect((await entriesOf(account)).at(-1)).toMatchObject({
      sequence: 105,
      kind: 'hold',
      available: 949,
      held: 1,
      spent: 80,
    });
  });

  it('stay while origin does not have them', async () => {
    origin.takesExport = false;
    await settle(20);
    await wakeAfter(edgeLimits.ledger.entriesKeptMs + 60_000);
    expect(await ledgerOf(account).checkpoint()).toBeUndefined();
    expect(await rowsIn('entry')).toBe(22);
    origin.takesExport = true;
    await wakeAfter(edgeLimits.ledger.entriesKeptMs + 120_000);
    expect(await rowsIn('entry')).toBe(1);
    expect((await ledgerOf(account).checkpoint())?.throughSequence).toBe(22);
  });

  it('stay after the first that may not go: the next checkpoint goes on from the one before', async () => {
    await settle(10);
    await wakeAfter(edgeLimits.ledger.entriesKeptMs + 60_000);
    await inAccount((object) => {
      object.now = () => Date.now() + 20 * DAY_MS;
    });
    await settle(10, newId('batch', Date.now() + 1, random));
    await wakeAfter(edgeLimits.ledger.entriesKeptMs + 60_000);
    expect((await ledgerOf(account).checkpoint())?.throughSequence).toBe(12);
    await wakeAfter(edgeLimits.ledger.entriesKeptMs + 21 * DAY_MS);
    const checkpoint = await ledgerOf(account).checkpoint();
    expect(checkpoint?.throughSequence).toBe(23);
    expect(checkpoint?.chain).toBe(await chained('', mine()));
  });
});

describe('a line that origin holds otherwise', () => {
  const conflicting = (sequence: number): string => `led_${account.accountId}_${sequence}`;
  const throughSequence = async () => (await ledgerOf(account).checkpoint())?.throughSequence;
  const sent = (sequence: number): number => mine().filter(({ seq }) => seq === sequence).length;

  it('stays with all that follows it, is sent again and logged every hour, and goes once origin agrees', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {});
    origin.conflicting.add(conflicting(7));
    await settle(20);
    await wakeAfter(60_000);
    expect(sent(7)).toBe(1);
    await wakeAfter(edgeLimits.ledger.entriesKeptMs + 60_000);
    expect(await throughSequence()).toBe(6);
    expect(await rowsIn('entry')).toBe(1 + 22 - 6);
    expect(sent(7)).toBe(2);
    await wakeAfter(edgeLimits.ledger.entriesKeptMs + 60_000 + edgeLimits.ledger.conflictRetryMs);
    expect(sent(7)).toBe(3);
    const alerts = logged.mock.calls.map(([line]) => JSON.parse(String(line)) as { event: string; id: string });
    expect(alerts.filter(({ event, id }) => event === 'ledger_export_conflict' && id === conflicting(7))).toHaveLength(
      3,
    );
    origin.conflicting.clear();
    await wakeAfter(edgeLimits.ledger.entriesKeptMs + 60_000 + 2 * edgeLimits.ledger.conflictRetryMs);
    await wakeAfter(edgeLimits.ledger.entriesKeptMs + 2 * DAY_MS);
    expect(await throughSequence()).toBe(22);
    expect(sent(8)).toBe(1);
  });

  it('is not folded by any statement', async () => {
    await settle(5);
    await wakeAfter(60_000);
    await inAccount((_object, { storage: { sql } }) => {
      sql.exec('insert into exportConflict values (3)');
      expect(() => sql.exec("insert into checkpoint values (1, 4, 0, 0, 0, 0, '', '', '', 0)")).toThrow(
        /before a conflict/,
      );
    });
  });
});

describe('the checkpoint at origin', () => {
  const checkpoints = () =>
    origin.exports.flatMap((sent) => sent.checkpoints ?? []).filter((row) => row.account_id === account.accountId);
  const foldedMs = edgeLimits.ledger.entriesKeptMs + 60_000;

  it('is sent when it moves on, in a call of its own, again after a refusal, and then once a day', async () => {
    await settle(20);
    await wakeAfter(60_000);
    origin.takesExport = false;
    await wakeAfter(foldedMs);
    expect(checkpoints()).toEqual([]);
    origin.takesExport = true;
    await wakeAfter(foldedMs + 60_000);
    const { throughSequence, keyId, signature, chain } = (await ledgerOf(account).checkpoint())!;
    const expected = { through_seq: throughSequence, key_id: keyId, signature, chain };
    expect(checkpoints()).toMatchObject([expected]);
    expect(origin.exports.filter((sent) => sent.checkpoints).map(({ entries }) => entries)).toEqual([[]]);
    for (let day = 1; day <= 3; day++) await wakeAfter(foldedMs + day * DAY_MS + 120_000);
    expect(checkpoints().length).toBeGreaterThanOrEqual(3);
    expect(checkpoints().length).toBeLessThanOrEqual(4);
  });

  it('is signed anew once the secret has changed', async () => {
    await settle(20);
    await wakeAfter(foldedMs);
    const { madeAtMs: _at, ...signed } = (await ledgerOf(account).checkpoint())!;
    await inAccount((_object, { storage: { sql } }) => {
      sql.exec("update checkpoint set keyId = '00000000', signature = 'of the secret before'");
    });
    for (let day = 1; day <= 2; day++) await wakeAfter(foldedMs + day * DAY_MS + 120_000);
    expect(await ledgerOf(account).checkpoint()).toMatchObject(signed);
    expect(checkpoints().at(-1)).toMatchObject({ key_id: signed.keyId, signature: signed.signature });
  });
});

describe('a ledger of more than 10,000 lines', () => {
  it('keeps about that many, however young they are, and origin gets every one', async () => {
    await ledgerOf(account).grant({ id: 'more', credits: 12_000, reason: 'local' });
    for (let batch = 0; batch < 12; batch++) await settle(1_000, newId('batch', Date.now() + batch, random));
    await wakeAfter(60_000);
    const { entriesMax } = edgeLimits.ledger;
    expect(await rowsIn('entry')).toBe(entriesMax + 2);
    expect(mine().map(({ seq }) => seq)).toEqual(Array.from({ length: 12_014 }, (_, i) => i + 1));
    expect((await ledgerOf(account).settledByDay(0)).reduce((sum, { posted }) => sum + posted, 0)).toBe(9_600);
  }, 60_000);
});

describe('holds', () => {
  it('go 31 days after they were resolved, with what is known of their images; open ones stay', async () => {
    vi.spyOn(BatchSaga.prototype, 'settleNow').mockResolvedValue('known');
    await settle(30);
    // As holds were kept before they had what was resolved in themselves.
    await inAccount((_object, { storage: { sql } }) => {
      for (let index = 0; index < 30; index++)
        sql.exec("insert into resolution values (?, ?, 'posted')", batchId, index);
    });
    const open = newId('batch', Date.now(), random);
    await ledgerOf(account).hold({ batchId: open, images: 2 });
    await wakeAfter(edgeLimits.ledger.holdsKeptMs - 60_000);
    expect([await rowsIn('hold'), await rowsIn('openHold'), await rowsIn('resolution')]).toEqual([1, 1, 30]);
    await wakeAfter(edgeLimits.ledger.holdsKeptMs + 2 * 3_600_000);
    expect([await rowsIn('hold'), await rowsIn('openHold'), await rowsIn('resolution')]).toEqual([0, 1, 0]);
    expect((await ledgerOf(account).holds()).map((hold) => hold.batchId)).toEqual([open]);
  });
});

describe('a release of a hold that never came', () => {
  it('is remembered against that hold for as long as a hold is, and costs the account nothing', async () => {
    const ledger = ledgerOf(account);
    expect(await ledger.release(batchId)).toEqual({ result: 'hold_not_found' });
    expect(await ledger.hold({ batchId, images: 3 })).toMatchObject({ result: 'already_released', window: 0 });
    expect(await ledger.holds()).toEqual([]);
    expect(await ledger.summary()).toMatchObject({ available: 1_000, held: 0, pendingHolds: 0, entries: 1 });
    await wakeAfter(edgeLimits.ledger.holdsKeptMs - 60_000);
    expect(await rowsIn('hold')).toBe(1);
    await wakeAfter(edgeLimits.ledger.holdsKeptMs + 2 * 3_600_000);
    expect(await rowsIn('hold')).toBe(0);
  });
});

describe('the checkpoint', () => {
  it('lets nothing else be deleted or changed, moves only on, and never beyond the export', async () => {
    await settle(5);
    await wakeAfter(edgeLimits.ledger.entriesKeptMs + 60_000);
    const later = newId('batch', Date.now() + 1, random);
    await settle(5, later);
    await inAccount((_object, { storage: { sql } }) => {
      const refused = (statement: string, why: RegExp) => expect(() => sql.exec(statement), statement).toThrow(why);
      refused('delete from entry where sequence > 7', /append-only/);
      refused("delete from entry where kind = 'grant'", /append-only/);
      refused('update entry set credits = 0', /append-only/);
      refused('update checkpoint set throughSequence = 6', /only moves on/);
      refused('update checkpoint set throughSequence = 7', /only moves on/);
      refused('delete from checkpoint', /only moves on/);
      refused("update checkpoint set signature = 'another'", /only moves on/);
      refused("update checkpoint set keyId = '00000000', chain = 'another'", /only moves on/);
      refused(
        "insert into checkpoint values (1, 9, 0, 0, 0, 0, '', '', '', 0) on conflict do update set throughSequence = 9",
        /ahead of the export/,
      );
    });
  });
});
