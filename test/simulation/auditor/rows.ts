/** What lies in storage, read back after the run. The only file of the auditor that names tables. */
import { imagesIn } from '../../../shared/image-list.ts';
import type { ObjectHost } from '../platform/object.ts';
import type { ObjectBinding } from '../production.ts';
import type { World } from '../world.ts';

export type AccountRows = {
  readonly accountId: string;
  readonly granted: number;
  readonly available: number;
  readonly held: number;
  readonly spent: number;
  readonly pending: number;
  readonly exportDue: boolean;
  /** `batch:index` → how often it was posted, voided. */
  readonly posts: ReadonlyMap<string, number>;
  readonly voids: ReadonlyMap<string, number>;
  /** Of live keys, in credits. */
  readonly holds: ReadonlyMap<string, Readonly<Pick<HoldRow, 'keyId' | 'images' | 'pending' | 'posted'>>>;
  /** Images that test keys have held by UTC day, those of holds that were released too. */
  readonly testDays: ReadonlyMap<string, number>;
  /** Sum of what grants and adjustments moved. */
  readonly moved: number;
  readonly entries: number;
  /** The ledger's lines in their order, as they stand. */
  readonly lines: readonly Line[];
  readonly alertLevel: number | null;
  readonly crossings: readonly Crossing[];
  /** Events that its endpoints have not heard of yet. */
  readonly untold: number;
};
type Crossing = { readonly level: number; readonly balance: number; readonly dueAtMs: number | null };
type Totals = {
  readonly granted: number;
  readonly available: number;
  readonly held: number;
  readonly spent: number;
};
export type Line = Totals & {
  readonly sequence: number;
  readonly kind: string;
  readonly credits: number;
  readonly batchId: string | null;
  readonly createdAtMs: number;
};
type ImageRow = {
  readonly index: number;
  readonly status: string;
  readonly settlement: string;
  readonly originalName: string;
  /** Error code of a failed one. */
  readonly code: string | null;
};
export type BatchRows = {
  readonly batchId: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly requestId: string;
  readonly mode: string;
  readonly webhookUrl: string | null;
  readonly format: string;
  /** Name and format of each further marketplace that its images are made for; undefined: they were asked for as one. */
  readonly others: readonly { readonly marketplace: string; readonly format: string }[] | undefined;
  /** All of them by name, sorted, set apart by commas. */
  readonly marketplaces: string;
  readonly hold: string;
  readonly completed: number;
  readonly failed: number;
  readonly processing: number;
  readonly style: string;
  readonly over: boolean;
  readonly completedAtMs: number | null;
  /** It ended before its deadline. */
  readonly early: boolean;
  readonly unsettled: number;
  readonly webhook: string;
  readonly images: readonly ImageRow[];
};
export type Rows = { readonly accounts: readonly AccountRows[]; readonly batches: readonly BatchRows[] };

export const readRows = (world: World): Rows => ({
  accounts: [...world.namespaces.ACCOUNT.hosts.values()].flatMap(accountOf).map((account) => ({
    ...account,
    untold: untoldOf(world, account.accountId),
  })),
  batches: [...world.namespaces.SAGA.hosts.values()].flatMap(batchOf),
});

type Entry = {
  kind: string;
  credits: number;
  batchId: string | null;
  imageIndex: number | null;
  images: string | null;
};

type HoldRow = {
  batchId: string;
  keyId: string | null;
  mode: string;
  images: number;
  pending: number;
  posted: number;
  openedAtMs: number;
};
const HOLDS = '(select * from hold union all select * from openHold)';

const accountOf = ({ store }: ObjectHost): Omit<AccountRows, 'untold'>[] => {
  if (!store.has('account')) return [];
  type Totals = {
    accountId: string;
    granted: number;
    available: number;
    held: number;
    spent: number;
    exportDueAtMs: number | null;
  };
  const [account] = store.read<Totals>('select accountId, granted, available, held, spent, exportDueAtMs from account');
  if (!account) return [];
  const holds = store.read<HoldRow>(
    store.has('openHold')
      ? `select batchId, keyId, mode, images, pending, posted, openedAtMs from ${HOLDS}`
      : 'select batchId, null as keyId, mode, images, pending, posted, openedAtMs from hold',
  );
  const entries = store.read<Entry>('select kind, credits, batchId, imageIndex, images from entry');
  const count = (kind: string): Map<string, number> => {
    const counts = new Map<string, number>();
    for (const { kind: own, batchId, imageIndex, images } of entries)
      if (own === kind)
        for (const index of images === null ? [imageIndex] : imagesIn(images))
          counts.set(`${batchId}:${index}`, (counts.get(`${batchId}:${index}`) ?? 0) + 1);
    return counts;
  };
  return [
    {
      ...account,
      pending: holds.reduce((sum, { pending }) => sum + pending, 0),
      exportDue: account.exportDueAtMs !== null,
      posts: count('post'),
      voids: count('void'),
      holds: new Map(holds.filter(({ mode }) => mode === 'live').map((hold) => [hold.batchId, hold])),
      testDays: testDaysOf(holds),
      moved: entries
        .filter(({ kind }) => kind === 'grant' || kind === 'adjust')
        .reduce((sum, { credits }) => sum + credits, 0),
      entries: entries.length,
      lines: store.read<Line>(
        `select sequence, kind, credits, granted, available, held, spent, batchId, createdAtMs
          from entry order by sequence`,
      ),
      ...alertOf(store),
    },
  ];
};

const alertOf = (store: ObjectHost['store']): Pick<AccountRows, 'alertLevel' | 'crossings'> => {
  if (!store.has('balanceCrossing')) return { alertLevel: null, crossings: [] };
  const [row] = store.read<{ alertLevel: number | null }>('select alertLevel from account');
  const crossings = store.read<Crossing>('select level, balance, dueAtMs from balanceCrossing order by crossing');
  return { alertLevel: row?.alertLevel ?? null, crossings };
};

const testDaysOf = (holds: readonly HoldRow[]): ReadonlyMap<string, number> => {
  const days = new Map<string, number>();
  for (const { mode, images, openedAtMs } of holds) {
    const day = new Date(openedAtMs).toISOString().slice(0, 10);
    if (mode === 'test') days.set(day, (days.get(day) ?? 0) + images);
  }
  return days;
};

const batchOf = ({ store }: ObjectHost): BatchRows[] => {
  if (!store.has('batch')) return [];
  type Batch = {
    batchId: string;
    hold: string;
    completed: number;
    failed: number;
    processing: number;
    unsettled: number;
    completedAtMs: number | null;
    deadlineAtMs: number;
    style: string;
    webhook: string;
  };
  const [batch] = store.read<Batch>(
    'select batchId, hold, completed, failed, processing, unsettled, completedAtMs, deadlineAtMs, style, webhook from batch',
  );
  if (!batch) return [];
  const { context, names } = requestOf(store);
  const { accountId, keyId, requestId, mode, webhookUrl, options } = JSON.parse(context);
  const own = new Map(
    store
      .read<Omit<ImageRow, 'originalName'>>(`select "index", status, settlement, outcome ->> 'code' as code from image`)
      .map((row) => [row.index, row]),
  );
  return [
    {
      ...batch,
      accountId,
      keyId,
      requestId,
      mode,
      webhookUrl,
      format: options?.format,
      others: options?.others,
      marketplaces: marketplacesOf(options),
      over: batch.completedAtMs !== null,
      early: (batch.completedAtMs ?? 0) < batch.deadlineAtMs,
      webhook: JSON.parse(batch.webhook).state,
      // An image without a row was neither handed over nor decided.
      images: names.map((originalName, index) => ({
        index,
        status: 'queued',
        settlement: 'open',
        code: null,
        ...own.get(index),
        originalName,
      })),
    },
  ];
};

type Options = { readonly marketplace: string; readonly others?: readonly { readonly marketplace: string }[] };
const marketplacesOf = (options: Options | undefined): string =>
  [options ?? [], options?.others ?? []]
    .flat()
    .map(({ marketplace }) => marketplace)
    .sort()
    .join();

type Request = { readonly context: string; readonly names: readonly string[] };

const requestOf = (store: ObjectHost['store']): Request => {
  if (!store.has('requestPart')) return olderRequestOf(store);
  const parts = store.read<{ context: string | null; images: string }>(
    'select context, images from requestPart order by part',
  );
  const inputs: { readonly originalName: string }[] = parts.flatMap(({ images }) => JSON.parse(images));
  return { context: parts[0]?.context ?? '{}', names: inputs.map(({ originalName }) => originalName) };
};

/** Of an object of an earlier release that today's code has not opened yet. */
const olderRequestOf = (store: ObjectHost['store']): Request => {
  const [row] = store.read<{ request: string }>('select request from context');
  const images = store.read<{ originalName: string }>('select originalName from image order by "index"');
  return { context: row?.request ?? '{}', names: images.map(({ originalName }) => originalName) };
};

/** Nothing is on its way any more: no credit held, no image open, nothing left to export or to tell. */
export const isQuiet = ({ accounts, batches }: Rows): boolean =>
  accounts.every(({ held, exportDue, untold }) => held === 0 && !exportDue && untold === 0) &&
  batches.every(
    ({ hold, over, unsettled, webhook }) =>
      hold === 'refused' || (hold !== 'asking' && over && unsettled === 0 && webhook !== 'due' && webhook !== 'armed'),
  );

/** Events that no endpoint has heard of yet. */
const untoldOf = (world: World, accountId: string): number =>
  (
    [
      ['ACCOUNT', 'webhookEvent'],
      ['HISTORY', 'webhookDelivery'],
    ] as const
  ).reduce((sum, [binding, table]) => {
    const store = storeOf(world, binding, accountId);
    return sum + (store?.has(table) ? store.read(`select 1 from ${table}`).length : 0);
  }, 0);

const storeOf = (world: World, binding: ObjectBinding, name: string): ObjectHost['store'] | undefined =>
  world.namespaces[binding].hosts.get(name)?.store;

/** Every row of an object, as text. */
export const textsOf = (world: World, binding: ObjectBinding, name: string): string[] => {
  const store = storeOf(world, binding, name);
  const tables = store?.read<{ name: string }>("select name from sqlite_master where type = 'table'") ?? [];
  return tables.flatMap(
    ({ name: table }) => store?.read(`select * from "${table}"`).map((row) => JSON.stringify(row)) ?? [],
  );
};

export type LogLine = {
  readonly requestId: string;
  readonly atMs: number;
  readonly keyId: string;
  readonly marketplaces: string | null;
  readonly path: string;
  readonly status: number;
  readonly batchId: string | null;
};
/** The account's request log, newest first. */
export const logOf = (world: World, accountId: string): LogLine[] => {
  const store = storeOf(world, 'HISTORY', accountId);
  return store?.has('request') ? store.read('select * from request order by logId desc') : [];
};

/** Whether the owner's last wish to delete everything was carried out. */
export const isErased = (world: World, accountId: string): boolean => {
  const rows = storeOf(world, 'ACCOUNT', accountId)?.read<{ doneAtMs: number | null }>('select doneAtMs from erasure');
  return rows?.[0] !== undefined && rows[0].doneAtMs !== null;
};

/** How much is left of an account's past: lines of the log, stored answers, holds, lines of the ledger that were folded. */
export const pastOf = (world: World, accountId: string) => {
  const count = (binding: ObjectBinding, table: string): number => {
    const store = storeOf(world, binding, accountId);
    const [name = ''] = table.split(' ');
    return store?.has(name)
      ? (store.read<{ count: number }>(`select count(*) as count from ${table}`)[0]?.count ?? 0)
      : 0;
  };
  return {
    logged: count('HISTORY', 'request'),
    answers: count('HISTORY', 'idempotency'),
    holds: count('ACCOUNT', 'hold') + count('ACCOUNT', 'openHold'),
    lines: count('ACCOUNT', "entry where kind not in ('grant', 'adjust')"),
  };
};

type CheckpointRow = Totals & { readonly throughSequence: number; readonly chain: string };
export const checkpointOf = (world: World, accountId: string): CheckpointRow | undefined =>
  storeOf(world, 'ACCOUNT', accountId)?.read<CheckpointRow>('select * from checkpoint')[0];

export type KeyRow = {
  readonly keyId: string;
  readonly label: string;
  readonly scopes: string;
  readonly creditsPerDayMax: number | null;
  readonly revokedAtMs: number | null;
};
export const keysOf = (world: World, accountId: string): KeyRow[] =>
  storeOf(world, 'ACCOUNT', accountId)?.read<KeyRow>('select * from apiKey') ?? [];
