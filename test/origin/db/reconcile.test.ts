import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../../origin/db/database.ts';
import { createJobStore } from '../../../origin/db/job-store.ts';
import { readLedgerArchive } from '../../../origin/db/read-ledger-archive.ts';
import { type Disagreement, type DisagreementKind, disagreementKinds } from '../../../origin/db/reconcile/kinds.ts';
import { reconcile } from '../../../origin/db/reconcile/reconcile.ts';
import { storeLedgerExport } from '../../../origin/db/store-ledger-export.ts';
import { originLimits } from '../../../origin/limits.ts';
import type { KeyMode } from '../../../shared/api-key.ts';
import { imageId, newId } from '../../../shared/ids.ts';
import type { Outcome } from '../../../shared/job.ts';
import { ledgerArchiveResponseSchema } from '../../../shared/ledger-archive.ts';
import { chained, signCheckpoint } from '../../../shared/ledger-checkpoint.ts';
import {
  type BatchSummary,
  type LedgerEntry,
  type LedgerExport,
  ledgerExportSchema,
} from '../../../shared/ledger-export.ts';
import { publicKeyOf } from '../../../shared/service-key.ts';
import { nextSigningKey, publicKeySet, signingKey, strangersKey } from '../../support/service-keys.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { completed, failedForGood } from '../support/outcome.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());
beforeEach(() => db.database.query('truncate ledger_entries, batches, jobs, ledger_conflicts, ledger_checkpoints'));

const KEYS = { publicKeys: [publicKeyOf(signingKey)], secrets: [] };

const random = (n: number): Uint8Array => crypto.getRandomValues(new Uint8Array(n));
const ACCOUNT = newId('account', Date.now(), random);
const BATCH = newId('batch', Date.now(), random);
const [IMAGE_1, IMAGE_2, IMAGE_3, IMAGE_4] = [0, 1, 2, 3].map((index) => imageId(BATCH, index)) as [
  string,
  string,
  string,
  string,
];
/** Books entries as an account's ledger does; the tests then corrupt what it wrote. */
const newLedger = () => {
  const balance = { available: 0, held: 0, spent: 0 };
  const entries: LedgerEntry[] = [];
  const book = (
    kind: LedgerEntry['kind'],
    credits: number,
    more: Pick<LedgerEntry, 'batch_id' | 'image_id' | 'images'> = {},
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

const finish = async (jobId: string, outcome: Outcome, mode: KeyMode = 'live'): Promise<void> => {
  const jobStore = createJobStore(db.database, 'node', 60_000);
  const claim = await jobStore.claim({ jobId, accountId: ACCOUNT, deadlineAtMs: Date.now() + 60_000, mode });
  if (claim.kind === 'claimed') await jobStore.record(jobId, claim.fencingToken, outcome);
};

/** 100 credits, a batch of three images of which two were completed: what a correct service leaves behind. */
const goodState = async (): Promise<{ entries: LedgerEntry[]; batch: BatchSummary }> => {
  const { entries, book } = newLedger();
  book('grant', 100);
  book('hold', 3, { batch_id: BATCH });
  for (const [image, outcome] of [
    [IMAGE_1, completed()],
    [IMAGE_2, completed()],
    [IMAGE_3, failedForGood],
  ] as const) {
    await finish(image, outcome);
    book(outcome.status === 'completed' ? 'post' : 'void', 1, { batch_id: BATCH, image_id: image });
  }
  return {
    entries,
    batch: {
      batch_id: BATCH,
      account_id: ACCOUNT,
      status: 'completed_with_errors',
      images: 3,
      completed: 2,
      failed: 1,
      at_ms: Date.now(),
    },
  };
};

/** Without grace, and a millisecond more: what was stored in the very millisecond of the question is compared too. */
const NO_GRACE_MS = -1;
const found = async (database: Database = db.database, graceMs = NO_GRACE_MS): Promise<Disagreement[]> => {
  const all: Disagreement[] = [];
  await reconcile(database, { graceMs, keys: KEYS }, (disagreement) => all.push(disagreement));
  return all;
};
const kindsFound = async (): Promise<DisagreementKind[]> => [...new Set((await found()).map(({ kind }) => kind))];

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

describe('reading exported lines back', () => {
  it('gives an account its own lines as they were sent, newest first, a page at a time', async () => {
    const { entries, batch } = await goodState();
    const other = newId('account', Date.now(), random);
    await send({ entries: [...entries, { ...entries[0]!, id: 'led_other', account_id: other }], batches: [batch] });
    const read = async (before: number, max: number) =>
      ledgerArchiveResponseSchema.parse(await readLedgerArchive(db.database, { account_id: ACCOUNT, before, max }))
        .lines;
    expect(await read(100, 1_000)).toEqual([...entries].reverse());
    expect((await read(4, 2)).map(({ seq }) => seq)).toEqual([3, 2]);
    expect(await read(1, 10)).toEqual([]);
    const plans: string[] = [];
    const query: Database['query'] = async (text, values) => {
      plans.push(await planOf(text, values));
      return db.database.query(text, values);
    };
    await readLedgerArchive({ ...db.database, query }, { account_id: ACCOUNT, before: 100, max: 10 });
    expect(plans.join()).toMatch(/Index Scan Backward using ledger_entries_account/);
    expect(plans.join()).not.toMatch(/Sort/);
  });
});

describe('a refund of credits already used', () => {
  it('takes the balance below zero, is stored, and is no disagreement', async () => {
    const { entries, book } = newLedger();
    book('grant', 2);
    book('hold', 2, { batch_id: BATCH });
    for (const image of [IMAGE_1, IMAGE_2]) {
      await finish(image, completed());
      book('post', 1, { batch_id: BATCH, image_id: image });
    }
    book('refund', 2);
    const batch: BatchSummary = {
      batch_id: BATCH,
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

/** What the edge sends of an account whose lines up to `through` it has deleted. */
const checkpointOf = async (entries: readonly LedgerEntry[], through: number, key = signingKey) => {
  const folded = entries.slice(0, through);
  const { available, held, spent } = folded.at(-1)!.balance;
  const granted = available + held + spent;
  const chain = await chained('', folded);
  const signed = { throughSequence: through, granted, available, held, spent, chain };
  const { keyId, signature } = await signCheckpoint(ACCOUNT, signed, key);
  return {
    account_id: ACCOUNT,
    through_seq: through,
    granted,
    available,
    held,
    spent,
    chain,
    key_id: keyId,
    signature,
  };
};
const send = (sent: Partial<LedgerExport>) => storeLedgerExport(db.database, { entries: [], batches: [], ...sent });

describe('a checkpoint', () => {
  const stored = () => db.database.query('select through_seq::int as through, key_id from ledger_checkpoints');

  it('is stored, agrees with the lines under it, and is replaced by a newer one or one signed anew, never by an older', async () => {
    const { entries, batch } = await goodState();
    await send({ entries, batches: [batch] });
    const [early, late] = [await checkpointOf(entries, 2), await checkpointOf(entries, 4)];
    expect(await send({ checkpoints: [early] })).toEqual({ stored: 1, repeated: 0, conflicting: [] });
    expect(await found()).toEqual([]);
    expect(await send({ checkpoints: [late] })).toMatchObject({ stored: 1 });
    expect(await send({ checkpoints: [late] })).toMatchObject({ stored: 0, repeated: 1 });
    expect(await send({ checkpoints: [early] })).toMatchObject({ stored: 0, repeated: 1 });
    expect(await found()).toEqual([]);
    const anew = await checkpointOf(entries, 4, nextSigningKey);
    expect(await send({ checkpoints: [anew] })).toMatchObject({ stored: 1 });
    expect(await stored()).toEqual([{ through: 4, key_id: anew.key_id }]);
    expect(await kindsFound()).toEqual(['checkpoint_unverified']);
  });

  it('of other lines than the stored one is a conflict', async () => {
    const { entries, batch } = await goodState();
    await send({ entries, batches: [batch], checkpoints: [await checkpointOf(entries, 4)] });
    const other = { ...(await checkpointOf(entries, 4)), chain: 'ab'.repeat(32) };
    expect(await send({ checkpoints: [other] })).toEqual({ stored: 0, repeated: 0, conflicting: [ACCOUNT] });
    expect(await kindsFound()).toEqual(['export_conflict']);
  });

  it.each([
    ['a line changed', `update ledger_entries set at = at + interval '1 ms' where seq = 2`],
    ['a line removed', 'delete from ledger_entries where seq = 3'],
    ['its last line removed', 'delete from ledger_entries where seq >= 4'],
    ['all lines removed', 'delete from ledger_entries'],
    ['other totals', 'update ledger_checkpoints set granted = granted + 1, available = available + 1'],
    ['another signature', `update ledger_checkpoints set signature = repeat('a', 128)`],
  ])('with %s is reported', async (_what, tampering) => {
    const { entries, batch } = await goodState();
    await send({ entries, batches: [batch], checkpoints: [await checkpointOf(entries, 4)] });
    expect(await found()).toEqual([]);
    await db.database.query(tampering);
    expect(await kindsFound()).toContain('checkpoint_mismatch');
  });
});

describe('a row that came back changed', () => {
  it('is a disagreement until it comes as it is stored', async () => {
    const { entries, batch } = await goodState();
    await send({ entries, batches: [batch] });
    const changed = entries.map((entry) => (entry.seq === 2 ? { ...entry, at_ms: entry.at_ms + 1 } : entry));
    await send({ entries: changed });
    await send({ entries: changed });
    expect(await found()).toEqual([expect.objectContaining({ kind: 'export_conflict', subject: 'led_2' })]);
    await send({ entries });
    expect(await found()).toEqual([]);
  });
});

type State = { entries: LedgerEntry[]; batch: BatchSummary };
const alter = (entries: LedgerEntry[], index: number, change: Partial<LedgerEntry>): void => {
  entries[index] = { ...(entries[index] as LedgerEntry), ...change };
};

/** Ways in which a service can go wrong; each corrupts the good state in one place. */
const planted: Record<DisagreementKind, (state: State) => unknown> = {
  malformed_id: ({ entries }) => alter(entries, 1, { batch_id: 'bat_1' }),
  ledger_gap: ({ entries }) => entries.splice(3, 1),
  ledger_balance: ({ entries }) => alter(entries, 4, { balance: { available: 99, held: 0, spent: 2 } }),
  ledger_arithmetic: ({ entries }) => alter(entries, 3, { balance: { available: 98, held: 0, spent: 2 } }),
  export_conflict: async ({ entries }) => {
    await send({ entries });
    alter(entries, 0, { at_ms: 1 });
  },
  checkpoint_mismatch: async ({ entries }) => {
    await send({ checkpoints: [await checkpointOf(entries, 4)] });
    alter(entries, 2, { image_id: IMAGE_4 });
  },
  checkpoint_unverified: async ({ entries }) => send({ checkpoints: [await checkpointOf(entries, 4, strangersKey)] }),
  checkpoint_missing: ({ entries }) => alter(entries, 0, { at_ms: Date.now() - 36 * 86_400_000 }),
  image_settled_twice: ({ entries }) => alter(entries, 3, { image_id: IMAGE_1 }),
  batch_oversettled: ({ entries }) => alter(entries, 1, { credits: 2 }),
  batch_unsettled: ({ entries }) => entries.pop(),
  batch_counts: ({ batch }) => Object.assign(batch, { completed: 3, failed: 0 }),
  batch_without_hold: ({ batch }) => Object.assign(batch, { batch_id: newId('batch', Date.now(), random) }),
  posted_without_outcome: () => db.database.query('delete from jobs where job_id = $1', [IMAGE_1]),
  posted_but_failed: () =>
    db.database.query('update jobs set outcome = $1 where job_id = $2', [JSON.stringify(failedForGood), IMAGE_1]),
  voided_but_completed: () =>
    db.database.query('update jobs set outcome = $1 where job_id = $2', [JSON.stringify(completed()), IMAGE_3]),
  completed_but_unsettled: () => finish(IMAGE_4, completed()),
};

/** How the database goes about a statement where it has the choice between an index and sorting the whole table. */
const planOf = async (text: string, values: readonly unknown[] = []): Promise<string> => {
  await db.database.query('set enable_seqscan = off');
  await db.database.query('set enable_sort = off');
  const rows = await db.database.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values);
  await db.database.query('reset all');
  return rows.map((row) => row['QUERY PLAN']).join('\n');
};

describe('reconcile', () => {
  it('finds nothing in a correct state', async () => {
    const { entries, batch } = await goodState();
    await storeLedgerExport(db.database, { entries, batches: [batch] });
    expect(await found()).toEqual([]);
  });

  /** The same state with a line for each command instead of each image. */
  const linesOfCommands = async () => {
    const { batch } = await goodState();
    const { entries, book } = newLedger();
    book('grant', 100);
    book('hold', 3, { batch_id: BATCH });
    book('post', 2, { batch_id: BATCH, images: '0-1' });
    book('void', 1, { batch_id: BATCH, images: '2' });
    return { entries: entries.map((entry) => ledgerExportSchema.parse({ entries: [entry] }).entries[0]!), batch };
  };

  it('finds nothing where one line posts several images, and reads such lines back as they were signed', async () => {
    const { entries, batch } = await linesOfCommands();
    await send({ entries, batches: [batch] });
    await send({ checkpoints: [await checkpointOf(entries, 4)] });
    expect(await found()).toEqual([]);
    const page = { account_id: ACCOUNT, before: 100, max: 10 };
    expect((await readLedgerArchive(db.database, page)).lines).toEqual([...entries].reverse());
  });

  it('finds an image that two lines of several settled', async () => {
    const twice = await linesOfCommands();
    alter(twice.entries, 3, { images: '1' });
    await send({ entries: twice.entries, batches: [twice.batch] });
    expect(await found()).toContainEqual(expect.objectContaining({ kind: 'image_settled_twice', subject: IMAGE_2 }));
  });

  it('finds a line whose credits are not those of its images', async () => {
    const { entries, batch } = await linesOfCommands();
    alter(entries, 2, { images: '0' });
    await send({ entries, batches: [batch] });
    expect(await found()).toContainEqual(
      expect.objectContaining({ kind: 'batch_counts', detail: 'led_3 moves 2 credits for 1 images' }),
    );
  });

  it('finds nothing in images of test keys, of which the ledger has no lines', async () => {
    const { entries, batch } = await goodState();
    await storeLedgerExport(db.database, { entries, batches: [batch] });
    const test = newId('batch', Date.now(), random);
    await finish(imageId(test, 0), completed(), 'test');
    await finish(imageId(test, 1), failedForGood, 'test');
    expect(await found()).toEqual([]);
  });

  it('finds nothing in jobs of which an earlier version did not note the kind of key', async () => {
    await finish(IMAGE_1, completed());
    await db.database.query('update jobs set mode = null');
    expect(await found()).toEqual([]);
  });

  it('finds nothing once the jobs of settled images are swept, also of one settled long after its outcome', async () => {
    const { entries, batch } = await goodState();
    const { outcomeKeptMs } = originLimits.jobs;
    const settledAtMs = Date.now() - outcomeKeptMs + 6 * 3_600_000;
    const old = entries.map((entry) => ({ ...entry, at_ms: settledAtMs }));
    await storeLedgerExport(db.database, { entries: old, batches: [batch] });
    await db.database.query(`update jobs set touched_at = clock_timestamp() - $1 * interval '1 ms'`, [
      outcomeKeptMs + 1,
    ]);
    expect(await createJobStore(db.database, 'node', 60_000).sweep(outcomeKeptMs)).toBe(3);
    expect(await found()).toEqual([]);
  });

  it('finds nothing in a batch that was released as a whole, nor in an image returned at its deadline', async () => {
    const { entries, book } = newLedger();
    book('grant', 100);
    book('hold', 3, { batch_id: BATCH });
    book('void', 3, { batch_id: BATCH });
    await finish(IMAGE_1, completed());
    const late = newId('batch', Date.now() + 1, random);
    book('hold', 1, { batch_id: late });
    await finish(imageId(late, 0), completed());
    book('void', 1, { batch_id: late, image_id: imageId(late, 0) });
    const deadlineAtMs = Date.now() + 60_000;
    const sent = entries.map((entry) => (entry.batch_id === late ? { ...entry, at_ms: deadlineAtMs + 5_000 } : entry));
    await storeLedgerExport(db.database, { entries: sent, batches: [] });
    expect(await found()).toEqual([]);
  });

  it('finds nothing in a completed image that the edge gave up unheard, but in one more than it says', async () => {
    const { entries, batch } = await goodState();
    const query = 'update jobs set outcome = $1 where job_id = $2';
    await db.database.query(query, [JSON.stringify(completed()), IMAGE_3]);
    await send({ entries, batches: [{ ...batch, unheard: 1 }] });
    expect(await found()).toEqual([]);
    await db.database.query('update batches set unheard = 0');
    expect(await kindsFound()).toEqual(['voided_but_completed']);
  });

  it('reads every table in pages of bounded size, and finds what is wrong on any of them', async () => {
    const { pageRowsMax } = originLimits.reconcile;
    const batches = Array.from({ length: 3 }, (_, i) => newId('batch', Date.now() + i, random)) as [
      string,
      string,
      string,
    ];
    const images = 900;
    const { entries, book } = newLedger();
    book('grant', 10_000);
    for (const batch_id of batches) {
      book('hold', images, { batch_id });
      for (let index = 0; index < images; index++) book('post', 1, { batch_id, image_id: imageId(batch_id, index) });
    }
    for (let at = 0; at < entries.length; at += 500)
      await storeLedgerExport(db.database, { entries: entries.slice(at, at + 500), batches: [] });
    await db.database.query(
      `insert into jobs (job_id, account_id, node_id, state, fence, claim_id, deadline_at, outcome, mode)
       select 'img_' || substr(batch, 5) || '_' || lpad(index::text, 4, '0'), $1, 'n', 'done', 1, gen_random_uuid(), now(), $2, 'live'
         from unnest($3::text[]) as batch, generate_series(0, $4 - 1) as index`,
      [ACCOUNT, JSON.stringify(completed()), batches, images],
    );
    const pages: number[] = [];
    const plans = new Map<string, string>();
    const watched: Database = {
      ...db.database,
      query: async (text, values) => {
        const rows = await db.database.query(text, values);
        pages.push(rows.length);
        if (/ order by /.test(text)) plans.set(text, await planOf(text, values));
        return rows as never;
      },
    };
    expect(await found(watched)).toEqual([]);
    expect(Math.max(...pages)).toBe(pageRowsMax);
    expect(pages.reduce((a, b) => a + b, 0)).toBeLessThan(3 * entries.length + 10);
    expect(plans.size).toBeGreaterThanOrEqual(5);
    for (const [text, plan] of plans) {
      expect(plan, text).not.toMatch(/Seq Scan|(?<!Incremental )Sort {2}/);
      // What the index leaves to be sorted are rows of one line's number, or of one batch.
      const [, sorted = '', presorted = ''] = /Sort Key: (.*)\n *Presorted Key: (.*)/.exec(plan) ?? [];
      expect(sorted.split(', ').length - presorted.split(', ').length, plan).toBeLessThanOrEqual(1);
    }
    await db.database.query('delete from ledger_entries where seq = 1500');
    await db.database.query('delete from jobs where job_id = $1', [imageId(batches[2], images - 1)]);
    expect(await found()).toEqual([
      { kind: 'ledger_gap', subject: ACCOUNT, detail: 'seq 1501 follows 1499' },
      expect.objectContaining({ kind: 'completed_but_unsettled', subject: imageId(batches[1], 596) }),
      expect.objectContaining({ kind: 'posted_without_outcome', subject: imageId(batches[2], images - 1) }),
    ]);
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
    await finish(imageId(BATCH, 9), completed());
    expect(await found(db.database, 60_000)).toEqual([]);
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
          env: { ...process.env, DATA_DIR: db.dataDir, DATABASE_URL: '', SERVICE_PUBLIC_KEYS: publicKeySet },
        },
      ).catch((error: { stdout: string; code: number }) => ({ stdout: `${error.stdout}[ended with ${error.code}]` }));
      return stdout;
    };
    const { entries, batch } = await goodState();
    await storeLedgerExport(db.database, { entries, batches: [batch] });
    expect(await command()).toBe('5 ledger entries, 1 batches, 3 jobs: 0 disagreements\n');
    await send({ checkpoints: [await checkpointOf(entries, 4)] });
    expect(await command()).toMatch(/: 0 disagreements$/m);
    await finish(IMAGE_4, completed());
    expect(await command()).toBe(
      `completed_but_unsettled  ${IMAGE_4}  completed, but neither charged nor returned\n5 ledger entries, 1 batches, 4 jobs: 1 disagreement\n[ended with 1]`,
    );
  });
});
