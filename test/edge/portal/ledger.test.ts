/** The ledger as its owner reads it: whole, also where most of it is only at origin, or saying what is not there. */
import { runInDurableObject } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { edgeLimits } from '../../../edge/limits.ts';
import { ledgerCsv } from '../../../edge/portal/ledger-csv.ts';
import { newId } from '../../../shared/ids.ts';
import type { LedgerPage, LedgerRow } from '../../../shared/portal-api.ts';
import { type FakeOrigin, fakeOrigin, linesOf } from '../support/origin.ts';
import { accountStub, ledgerOf } from '../support/service.ts';
import { accountIdOf, answerOf, type Customer, registered } from './customer.ts';

const random = (n: number): Uint8Array => crypto.getRandomValues(new Uint8Array(n));
let origin: FakeOrigin;
let customer: Customer;
let account: { accountId: string };
beforeEach(async () => {
  origin = fakeOrigin();
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  customer = await registered();
  account = { accountId: await accountIdOf(customer) };
});
afterEach(() => vi.restoreAllMocks());

const grant = (id: string, credits: number) =>
  ledgerOf(account).grant({ id, credits, reason: 'purchase', reference: id });
/** A line for each image. */
const settle = async (images: number): Promise<void> => {
  const batchId = newId('batch', Date.now(), random);
  await ledgerOf(account).hold({ batchId, images });
  await runInDurableObject(accountStub(account.accountId), async (object) => {
    for (let index = 0; index < images; index++)
      await object.resolve(batchId, [{ index, as: index % 5 === 0 ? 'voided' : 'posted' }]);
  });
};
/** Everything so far is exported and folded. */
const fold = (): Promise<void> =>
  runInDurableObject(accountStub(account.accountId), async (object, state) => {
    const real = object.now;
    object.now = () => Date.now() + edgeLimits.ledger.entriesKeptMs + 3_600_000;
    for (let run = 0; run < 100; run++) {
      await object.alarm();
      const atMs = await state.storage.getAlarm();
      if (atMs === null || atMs > object.now()) break;
    }
    object.now = real;
  });

const rowsOf = (text: string): string[][] =>
  text
    .trim()
    .split('\r\n')
    .slice(1)
    .map((line) => line.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/).map((cell) => cell.replaceAll('"', '')));
const csv = async (path = '/ledger.csv'): Promise<string[][]> =>
  rowsOf(await (await customer.call('GET', path)).text());
const isLine = ([sequence]: readonly string[]): boolean => sequence !== '';
const numbers = (rows: readonly string[][]): number[] => rows.map(([sequence]) => Number(sequence));
const downFrom = (top: number, bottom = 1): number[] => Array.from({ length: top - bottom + 1 }, (_, i) => top - i);

/** Two packs, 450 images and a refund that are folded, then a batch of ten that is not. Answers the last line. */
const longLedger = async (): Promise<number> => {
  await grant('pay_1', 400);
  await settle(300);
  await grant('pay_2', 400);
  await ledgerOf(account).adjust({ id: 're_1', credits: -20, reason: 'refund', reference: 'pay_2' });
  await settle(150);
  await fold();
  expect((await ledgerOf(account).checkpoint())?.throughSequence).toBe(455);
  await settle(10);
  return 466;
};

it('a line of several images says how many, and moves as many credits', async () => {
  await grant('pay_1', 10);
  const batchId = newId('batch', Date.now(), random);
  await ledgerOf(account).hold({ batchId, images: 4 });
  const as = ['posted', 'posted', 'posted', 'voided'] as const;
  await ledgerOf(account).resolve(
    batchId,
    as.map((resolved, index) => ({ index, as: resolved })),
  );
  const lines = (await csv()).filter(([, , kind]) => kind === 'post' || kind === 'void');
  expect(lines.map((row) => row.slice(2, 7))).toEqual([
    ['void', 'Image failed, credit returned', '1', '-1', '0'],
    ['post', '3 images delivered', '0', '-3', '3'],
  ]);
});

describe('the CSV of a ledger whose old lines are only at origin', () => {
  it('has every line once, and its columns add up to the balance', async () => {
    const last = await longLedger();
    const rows = await csv();
    expect(numbers(rows)).toEqual(downFrom(last));
    const sum = (column: number): number => rows.reduce((total, row) => total + Number(row[column]), 0);
    const { available, held, spent } = (await ledgerOf(account).summary())!;
    expect([sum(4), sum(5), sum(6)]).toEqual([available, held, spent]);
    expect(rows.find(([sequence]) => sequence === '303')).toEqual(expect.arrayContaining(['API pack bought', 'pay_2']));
  });

  it('says which lines it lacks while origin is away, and still has every grant', async () => {
    await longLedger();
    origin.givesLines = false;
    const rows = await csv();
    expect(numbers(rows.filter(isLine))).toEqual([...downFrom(466, 456), 304, 303, 1]);
    expect(rows.find((row) => !isLine(row))?.[3]).toMatch(/^INCOMPLETE: of lines 1 to 455 /);
  });

  it('says which lines are nowhere', async () => {
    await longLedger();
    for (const { entries } of origin.exports)
      entries.splice(0, entries.length, ...entries.filter(({ seq }) => seq < 100 || seq > 102));
    const rows = await csv();
    expect(numbers(rows.filter(isLine))).toEqual([...downFrom(466, 103), ...downFrom(99)]);
    const at = rows.findIndex((row) => !isLine(row));
    expect(rows[at]?.[3]).toMatch(/^MISSING: lines 100 to 102\./);
    expect(rows[at - 1]?.[0]).toBe('103');
  });

  it('of more lines than a file takes names the next file, and the two are the whole', async () => {
    const last = await longLedger();
    const { accountId } = account;
    const source = {
      accountId,
      ledger: ledgerOf(account),
      archive: async (page: { before: number; max: number }) => linesOf(origin, { account_id: accountId, ...page }),
    };
    const rows = rowsOf(await new Response(ledgerCsv(source, null, 50)).text());
    const note = rows.pop()?.[3] ?? '';
    const next = /^INCOMPLETE: lines 1 to \d+ are in the next file: add \?before=(\d+) /.exec(note)?.[1];
    expect(numbers(rows)).toEqual(downFrom(last, Number(next)));
    expect(numbers(await csv(`/ledger.csv?before=${next}`))).toEqual(downFrom(Number(next) - 1));
    expect((await customer.call('GET', '/ledger.csv?before=x')).status).toBe(400);
  });

  it('reads a thousand archived lines in one call', async () => {
    await grant('pay_1', 1_000);
    for (let batch = 0; batch < 3; batch++) await settle(300);
    await fold();
    const calls = vi.mocked(globalThis.fetch).mock.calls.length;
    expect(numbers(await csv())).toEqual(downFrom(904));
    expect(vi.mocked(globalThis.fetch).mock.calls.length - calls).toBe(1);
  });
});

describe('the pages of a ledger whose old lines are only at origin', () => {
  it('show every line once, newest first', async () => {
    const last = await longLedger();
    const rows: LedgerRow[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const path: string = `/ledger?max=60&cursor=${cursor}`;
      const page: LedgerPage = await answerOf<LedgerPage>(customer.call('GET', path));
      expect(page.folded_through).toBeNull();
      expect(page.rows.length).toBeLessThanOrEqual(60);
      rows.push(...page.rows);
      cursor = page.next_cursor;
    }
    expect(rows.map(({ sequence }) => sequence)).toEqual(downFrom(last));
  });

  it('show grants alone, and say up to where, while origin is away', async () => {
    await longLedger();
    origin.givesLines = false;
    const page = await answerOf<LedgerPage>(customer.call('GET', '/ledger?max=60'));
    expect(page.rows.map(({ sequence }) => sequence)).toEqual([...downFrom(466, 456), 304, 303, 1]);
    expect(page).toMatchObject({ folded_through: 455, next_cursor: null });
  });
});
