/**
 * Counts what an image takes in origin's Postgres, in the embedded server: the ledger's export as the edge sent it, and
 * jobs as a node claims and records them, by the statements that run in production. Indexes are counted, and the row
 * that recording leaves dead.
 */
import { createJobStore } from '../../origin/db/job-store.ts';
import { storeLedgerExport } from '../../origin/db/store-ledger-export.ts';
import { imageId, newId } from '../../shared/ids.ts';
import { checkCompliance } from '../../shared/imaging/compliance.ts';
import type { LedgerExport } from '../../shared/ledger-export.ts';
import { limits } from '../../shared/limits.ts';
import { openTestDatabase, type TestDatabase } from '../origin/support/database.ts';
import { completed } from '../origin/support/outcome.ts';
import type { PerImage } from './count.ts';

export type PostgresBytes = { readonly ledger: number; readonly job: number };

const JOBS = 2_000;
/** Of the rows sent, under other ids: a few pages of each index would be counted for a handful of rows. */
const COPIES = 64;

/** Per image, or per check, which has no job. */
export const countPostgres = async ({ style, exported, images }: PerImage): Promise<PostgresBytes> => {
  const db = await openTestDatabase();
  try {
    const ledger = await growth(db, ['ledger_entries', 'batches'], () => storeAll(db, copied(exported)));
    const job = style === 'check' ? 0 : await growth(db, ['jobs'], () => runJobs(db));
    return { ledger: ledger / images / COPIES, job: job / JOBS };
  } finally {
    await db.close();
  }
};

const growth = async ({ database }: TestDatabase, tables: string[], grow: () => Promise<void>): Promise<number> => {
  const size = async (): Promise<number> => {
    const [row] = await database.query<{ bytes: string }>(
      'select sum(pg_total_relation_size(name::regclass)) as bytes from unnest($1::text[]) as name',
      [tables],
    );
    return Number(row?.bytes);
  };
  const before = await size();
  await grow();
  return (await size()) - before;
};

const copied = (rows: readonly object[]): object[] => {
  const text = JSON.stringify(rows);
  return Array.from({ length: COPIES }, (_, copy) => {
    const ids = text.replaceAll(/(acc|bat)_([0-9a-z]{24})[0-9a-z]{2}/g, `$1_$2${String(copy).padStart(2, '0')}`);
    return JSON.parse(ids) as object[];
  }).flat();
};

const storeAll = async ({ database }: TestDatabase, rows: readonly object[]): Promise<void> => {
  const { outboxBatchMax } = limits.ledger;
  const entries = rows.filter((row) => 'seq' in row) as LedgerExport['entries'];
  const batches = rows.filter((row) => !('seq' in row)) as LedgerExport['batches'];
  const total = Math.max(entries.length, batches.length);
  for (let from = 0; from < total; from += outboxBatchMax) {
    const to = from + outboxBatchMax;
    await storeLedgerExport(database, { entries: entries.slice(from, to), batches: batches.slice(from, to) });
  }
};

const runJobs = async ({ database }: TestDatabase): Promise<void> => {
  const random = (n: number): Uint8Array => crypto.getRandomValues(new Uint8Array(n));
  const store = createJobStore(database, 'node-0', 30_000);
  const accountId = newId('account', Date.now(), random);
  const batchId = newId('batch', Date.now(), random);
  for (let index = 0; index < JOBS; index++) {
    const jobId = imageId(batchId, index);
    const claim = await store.claim({ jobId, accountId, deadlineAtMs: Date.now() + 60_000, mode: 'live' });
    if (claim.kind !== 'claimed') throw new Error(`job ${jobId} is ${claim.kind}`);
    await store.record(jobId, claim.fencingToken, outcome);
  }
};

const productBox = { x: 150, y: 216, width: 1_700, height: 1_568 };
/** As large as a photo's outcome for one marketplace is. */
const outcome = completed({
  product_box: productBox,
  compliance: checkCompliance('amazon', {
    size: { width: 2_000, height: 2_000 },
    bytes: 312_000,
    format: 'jpg',
    jpegQuality: 92,
    colourSpace: 'srgb',
    bitsPerSample: 8,
    transparent: false,
    notWhitePixels: 0,
    shadowPixels: 0,
    productBox,
  }),
  stages_ms: { decode: 41.2, findings: 88.1, matte: 612.4, infer: 540.9, refine: 95.3, compose: 60.2, encode: 120.6 },
});
