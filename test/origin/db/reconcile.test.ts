import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createJobStore } from '../../../origin/db/job-store.ts';
import { type DisagreementKind, disagreementKinds, findDisagreements } from '../../../origin/db/reconcile.ts';
import { storeLedgerExport } from '../../../origin/db/store-ledger-export.ts';
import type { Outcome } from '../../../shared/job.ts';
import { type BatchSummary, type LedgerEntry, ledgerExportSchema } from '../../../shared/ledger-export.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { completed, failedForGood } from '../support/outcome.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());
beforeEach(() => db.database.query('truncate ledger_entries, batches, jobs'));

const ACCOUNT = 'acc_a';
/** Books entries as an account's ledger does; the tests then corrupt what it wrote. */
const newLedger = () => {
  const balance = { available: 0, held: 0, spent: 0 };
  const entries: LedgerEntry[] = [];
  const book = (
    kind: LedgerEntry['kind'],
    credits: number,
    more: Pick<LedgerEntry, 'batch_id' | 'image_id'> = {},
  ): void => {
    balance.available += { grant: credits, refund: -credits, hold: -credits, void: credits, post: 0 }[kind];
    balance.held += { grant: 0, refund: 0, hold: credits, void: -credits, post: -credits }[kind];
    balance.spent += kind === 'post' ? credits : 0;
    entries.push({
      id: `led_${entries.length + 1}`,
      account_id: ACCOUNT,
      seq: entries.length + 1,
      kind,
      credits,
      at_ms: Date.now(),
      balance: { ...balance },
      ...more,
    });
  };
  return { entries, book };
};

const finish = async (jobId: string, outcome: Outcome): Promise<void> => {
  const jobStore = createJobStore(db.database, 'node', 60_000);
  const claim = await jobStore.claim({ jobId, accountId: ACCOUNT, deadlineAtMs: Date.now() + 60_000 });
  if (claim.kind === 'claimed') await jobStore.record(jobId, claim.fencingToken, outcome);
};

/** 100 credits, a batch of three images of which two were completed: what a correct service leaves behind. */
const goodState = async (): Promise<{ entries: LedgerEntry[]; batch: BatchSummary }> => {
  const { entries, book } = newLedger();
  book('grant', 100);
  book('hold', 3, { batch_id: 'bat_1' });
  for (const [image, outcome] of [
    ['img_1', completed()],
    ['img_2', completed()],
    ['img_3', failedForGood],
  ] as const) {
    await finish(image, outcome);
    book(outcome.status === 'completed' ? 'post' : 'void', 1, { batch_id: 'bat_1', image_id: image });
  }
  return {
    entries,
    batch: {
      batch_id: 'bat_1',
      account_id: ACCOUNT,
      status: 'completed_with_errors',
      images: 3,
      completed: 2,
      failed: 1,
      at_ms: Date.now(),
    },
  };
};

const kindsFound = async (): Promise<DisagreementKind[]> => [
  ...new Set((await findDisagreements(db.database, { graceMs: 0 })).map(({ kind }) => kind)),
];

describe('the ledger export', () => {
  it('stores every row once, however often it is sent', async () => {
    const { entries, batch } = await goodState();
    const sent = ledgerExportSchema.parse({ entries: entries.slice(0, 3), batches: [batch] });
    expect(await storeLedgerExport(db.database, sent)).toEqual({ stored: 4, repeated: 0, conflicting: [] });
    expect(await storeLedgerExport(db.database, { ...sent, entries })).toEqual({
      stored: 2,
      repeated: 4,
      conflicting: [],
    });
  });

  it('reports a row that comes back changed and keeps the first', async () => {
    const { entries } = await goodState();
    await storeLedgerExport(db.database, { entries, batches: [] });
    const changed = entries.map((entry) => (entry.kind === 'grant' ? { ...entry, credits: 1_000_000 } : entry));
    expect(await storeLedgerExport(db.database, { entries: changed, batches: [] })).toEqual({
      stored: 0,
      repeated: 4,
      conflicting: ['led_1'],
    });
    expect(await db.database.query(`select credits from ledger_entries where id = 'led_1'`)).toEqual([
      { credits: '100' },
    ]);
  });

  it('takes the first of two rows with one id', async () => {
    const { entries } = await goodState();
    const [first] = entries as [LedgerEntry];
    expect(await storeLedgerExport(db.database, { entries: [first, first], batches: [] })).toEqual({
      stored: 1,
      repeated: 0,
      conflicting: [],
    });
  });
});

describe('a refund of credits already used', () => {
  it('takes the balance below zero, is stored, and is no disagreement', async () => {
    const { entries, book } = newLedger();
    book('grant', 2);
    book('hold', 2, { batch_id: 'bat_1' });
    for (const image of ['img_1', 'img_2']) {
      await finish(image, completed());
      book('post', 1, { batch_id: 'bat_1', image_id: image });
    }
    book('refund', 2);
    const batch: BatchSummary = {
      batch_id: 'bat_1',
      account_id: ACCOUNT,
      status: 'completed',
      images: 2,
      completed: 2,
      failed: 0,
      at_ms: Date.now(),
    };
    const sent = ledgerExportSchema.parse({ entries, batches: [batch] });
    expect(sent.entries.at(-1)?.balance.available).toBe(-2);
    expect(await storeLedgerExport(db.database, sent)).toMatchObject({ stored: entries.length + 1 });
    expect(await kindsFound()).toEqual([]);
  });
});

type State = { entries: LedgerEntry[]; batch: BatchSummary };
const alter = (entries: LedgerEntry[], index: number, change: Partial<LedgerEntry>): void => {
  entries[index] = { ...(entries[index] as LedgerEntry), ...change };
};

/** Ways in which a service can go wrong; each corrupts the good state in one place. */
const planted: Record<DisagreementKind, (state: State) => unknown> = {
  ledger_gap: ({ entries }) => entries.splice(3, 1),
  ledger_balance: ({ entries }) => alter(entries, 4, { balance: { available: 99, held: 0, spent: 2 } }),
  ledger_arithmetic: ({ entries }) => alter(entries, 3, { balance: { available: 98, held: 0, spent: 2 } }),
  image_settled_twice: ({ entries }) => alter(entries, 3, { image_id: 'img_1' }),
  batch_oversettled: ({ entries }) => alter(entries, 1, { credits: 2 }),
  batch_unsettled: ({ entries }) => entries.pop(),
  batch_counts: ({ batch }) => Object.assign(batch, { completed: 3, failed: 0 }),
  batch_without_hold: ({ batch }) => Object.assign(batch, { batch_id: 'bat_unpaid' }),
  posted_without_outcome: () => db.database.query(`delete from jobs where job_id = 'img_1'`),
  posted_but_failed: () =>
    db.database.query(`update jobs set outcome = $1 where job_id = 'img_1'`, [JSON.stringify(failedForGood)]),
  voided_but_completed: () =>
    db.database.query(`update jobs set outcome = $1 where job_id = 'img_3'`, [JSON.stringify(completed())]),
  completed_but_unsettled: () => finish('img_4', completed()),
};

describe('reconcile', () => {
  it('finds nothing in a correct state', async () => {
    const { entries, batch } = await goodState();
    await storeLedgerExport(db.database, { entries, batches: [batch] });
    expect(await findDisagreements(db.database, { graceMs: 0 })).toEqual([]);
  });

  for (const kind of disagreementKinds) {
    it(`finds a planted ${kind}`, async () => {
      const state = await goodState();
      await planted[kind](state);
      await storeLedgerExport(db.database, { entries: state.entries, batches: [state.batch] });
      expect(await kindsFound()).toContain(kind);
    });
  }

  it('does not report rows that are younger than the grace period', async () => {
    await finish('img_9', completed());
    expect(await findDisagreements(db.database, { graceMs: 60_000 })).toEqual([]);
    expect(await kindsFound()).toEqual(['completed_but_unsettled']);
  });

  it('as a command lists disagreements with exit code 1, or ends with 0 where there are none', async () => {
    const command = async () => {
      const { stdout } = await promisify(execFile)(
        process.execPath,
        [
          '--no-warnings',
          fileURLToPath(new URL('../../../origin/reconcile.ts', import.meta.url)),
          '--grace-seconds',
          '0',
        ],
        {
          env: { ...process.env, DATA_DIR: db.dataDir, DATABASE_URL: '' },
        },
      ).catch((error: { stdout: string; code: number }) => ({ stdout: `${error.stdout}[ended with ${error.code}]` }));
      return stdout;
    };
    const { entries, batch } = await goodState();
    await storeLedgerExport(db.database, { entries, batches: [batch] });
    expect(await command()).toBe('5 ledger entries, 1 batches, 3 jobs: 0 disagreements\n');
    await finish('img_4', completed());
    expect(await command()).toBe(
      'completed_but_unsettled  img_4  completed, but neither charged nor returned\n5 ledger entries, 1 batches, 4 jobs: 1 disagreement\n[ended with 1]',
    );
  });
});
