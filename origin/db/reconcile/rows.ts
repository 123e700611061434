/**
 * The rows that reconcile compares, each table read once from end to end in pages by its key: memory and the time of a
 * statement stay the same however long the tables are. All times are Unix ms.
 */
import { isId, parseImageId } from '../../../shared/ids.ts';
import type { CheckpointSignature, LedgerCheckpoint } from '../../../shared/ledger-checkpoint.ts';
import { originLimits } from '../../limits.ts';
import type { Database } from '../database.ts';

const { pageRowsMax } = originLimits.reconcile;

export type Line = {
  readonly id: string;
  readonly accountId: string;
  readonly seq: number;
  readonly kind: 'grant' | 'hold' | 'post' | 'void' | 'refund';
  readonly batchId: string | null;
  /** Of a post or void from before these named all images that were settled together. */
  readonly imageId: string | null;
  /** Indexes, as in shared/image-list.ts. */
  readonly images: string | null;
  readonly credits: number;
  readonly atMs: number;
  readonly available: number;
  readonly held: number;
  readonly spent: number;
  readonly receivedAtMs: number;
};
export type EndedBatch = {
  readonly batchId: string;
  readonly accountId: string;
  readonly images: number;
  readonly completed: number;
  readonly failed: number;
  readonly unheard: number;
  readonly receivedAtMs: number;
};
/** `mode` is null where a node of an earlier version took the job; `status` and `code` are those of its outcome. */
export type Job = {
  readonly jobId: string;
  readonly state: 'open' | 'leased' | 'done';
  readonly mode: 'live' | 'test' | null;
  readonly status: 'completed' | 'failed' | null;
  readonly code: string | null;
  readonly touchedAtMs: number;
  readonly deadlineAtMs: number;
};
/** A checkpoint in the form that was signed. */
export type StoredCheckpoint = LedgerCheckpoint & CheckpointSignature & { readonly accountId: string };
export type Conflict = { readonly id: string; readonly firstAtMs: number; readonly lastAtMs: number };
/** Rows of one account or batch, which come together. */
export type Group<Row> = { readonly key: string; readonly rows: readonly Row[] };

const ms = (column: string): string => `round(extract(epoch from ${column}) * 1000)::double precision`;

const LINE = `id, account_id as "accountId", seq::double precision as seq, kind, batch_id as "batchId",
  image_id as "imageId", images, credits::double precision as credits, available::double precision as available,
  held::double precision as held, spent::double precision as spent, ${ms('at')} as "atMs",
  ${ms('received_at')} as "receivedAtMs"`;

/**
 * A row comparison reads on from the index's first column, so each page starts where the one before ended. Columns are
 * named with their table: `order by seq` would sort all rows by what is selected under that name.
 */
const LINES_BY_ACCOUNT = `select ${LINE} from ledger_entries e
  where (e.account_id, e.seq, e.id) > ($1, $2, $3) order by e.account_id, e.seq, e.id limit $4`;
const LINES_BY_BATCH = `select ${LINE} from ledger_entries e
  where (e.batch_id, e.id) > ($1, $2) order by e.batch_id, e.id limit $3`;
const ENDED = `select batch_id as "batchId", account_id as "accountId", images, completed, failed, unheard,
  ${ms('received_at')} as "receivedAtMs" from batches where batch_id > $1 order by batch_id limit $2`;
const JOBS = `select job_id as "jobId", state, mode, outcome ->> 'status' as status, outcome ->> 'code' as code,
  ${ms('touched_at')} as "touchedAtMs", ${ms('deadline_at')} as "deadlineAtMs"
  from jobs where job_id > $1 order by job_id limit $2`;

const CHECKPOINT = `account_id as "accountId", through_seq::double precision as "throughSequence",
  granted::double precision as granted, available::double precision as available, held::double precision as held,
  spent::double precision as spent, chain, key_id as "keyId", signature`;
const CHECKPOINT_OF = `select ${CHECKPOINT} from ledger_checkpoints where account_id = $1`;
const CHECKPOINTS_WITHOUT_LINES = `select ${CHECKPOINT} from ledger_checkpoints c
  where account_id > $1 and not exists (select 1 from ledger_entries e where e.account_id = c.account_id)
  order by account_id limit $2`;
const CONFLICTS = `select id, ${ms('first_at')} as "firstAtMs", ${ms('last_at')} as "lastAtMs"
  from ledger_conflicts where id > $1 order by id limit $2`;

type Values = readonly (string | number)[];

/** `after`: the key of a row, from which the next page goes on. */
const pages = async function* <Row extends object>(
  database: Database,
  text: string,
  first: Values,
  after: (row: Row) => Values,
): AsyncGenerator<Row> {
  for (let key = first; ; ) {
    const rows = await database.query<Row>(text, [...key, pageRowsMax]);
    yield* rows;
    const last = rows.at(-1);
    if (rows.length < pageRowsMax || !last) return;
    key = after(last);
  }
};

export const linesByAccount = (database: Database): AsyncGenerator<Line> =>
  pages<Line>(database, LINES_BY_ACCOUNT, ['', 0, ''], ({ accountId, seq, id }) => [accountId, seq, id]);

export const checkpointOf = async (database: Database, accountId: string): Promise<StoredCheckpoint | undefined> =>
  (await database.query<StoredCheckpoint>(CHECKPOINT_OF, [accountId]))[0];

export const checkpointsWithoutLines = (database: Database): AsyncGenerator<StoredCheckpoint> =>
  pages<StoredCheckpoint>(database, CHECKPOINTS_WITHOUT_LINES, [''], ({ accountId }) => [accountId]);

export const conflicts = (database: Database): AsyncGenerator<Conflict> =>
  pages<Conflict>(database, CONFLICTS, [''], ({ id }) => [id]);

/** Of each batch; lines that belong to none are left out. */
export const linesByBatch = (database: Database): AsyncGenerator<Group<Line>> =>
  grouped(
    pages<Line>(database, LINES_BY_BATCH, ['', ''], ({ batchId, id }) => [batchId ?? '', id]),
    ({ batchId }) => batchId,
  );

export const endedByBatch = (database: Database): AsyncGenerator<Group<EndedBatch>> =>
  grouped(
    pages<EndedBatch>(database, ENDED, [''], ({ batchId }) => [batchId]),
    ({ batchId }) => batchId,
  );

/** Jobs that are images of a batch; others, as benchmarks send them, are no business of the ledger. */
export const jobsByBatch = (database: Database): AsyncGenerator<Group<Job>> =>
  grouped(
    pages<Job>(database, JOBS, [''], ({ jobId }) => [jobId]),
    ({ jobId }) => parseImageId(jobId)?.batchId ?? null,
  );

/** Of one batch there are at most a few rows an image. Rows without a batch's id are left out. */
const grouped = async function* <Row>(
  rows: AsyncIterable<Row>,
  batchOf: (row: Row) => string | null,
): AsyncGenerator<Group<Row>> {
  let group: { key: string; rows: Row[] } | undefined;
  for await (const row of rows) {
    const key = batchOf(row);
    if (key === null || !isId('batch', key)) continue;
    if (group?.key === key) group.rows.push(row);
    else {
      if (group) yield group;
      group = { key, rows: [row] };
    }
  }
  if (group) yield group;
};

/**
 * Groups of several tables side by side, in the order of their keys: each step gives the rows that every table has of
 * one key. Ids of one kind have one length and nothing but digits and lower-case letters, which all collations order
 * alike.
 */
export const sideBySide = async function* <A, B, C>(
  a: AsyncGenerator<Group<A>>,
  b: AsyncGenerator<Group<B>>,
  c: AsyncGenerator<Group<C>>,
): AsyncGenerator<{ key: string; a: readonly A[]; b: readonly B[]; c: readonly C[] }> {
  const heads = [await headOf(a), await headOf(b), await headOf(c)] as const;
  for (;;) {
    const keys = heads.flatMap((head) => (head.group === undefined ? [] : [head.group.key])).sort();
    const [key] = keys;
    if (key === undefined) return;
    yield { key, a: await heads[0].take(key), b: await heads[1].take(key), c: await heads[2].take(key) };
  }
};

type Head<Row> = { group: Group<Row> | undefined; take(key: string): Promise<readonly Row[]> };
const headOf = async <Row>(groups: AsyncGenerator<Group<Row>>): Promise<Head<Row>> => {
  const next = async (): Promise<Group<Row> | undefined> => (await groups.next()).value as Group<Row> | undefined;
  const head: Head<Row> = {
    group: await next(),
    take: async (key) => {
      if (head.group?.key !== key) return [];
      const { rows } = head.group;
      head.group = await next();
      return rows;
    },
  };
  return head;
};
