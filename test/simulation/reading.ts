/** What the portal's pages say of an account, against its rows. */
import type { Account, Book } from './auditor/book.ts';
import { type AccountRows, type BatchRows, type Line, type LogLine, logOf } from './auditor/rows.ts';
import { inPortal } from './owner.ts';
import type { Portal } from './production.ts';
import { imageSplitLaw, requestSplitLaw } from './splits.ts';
import type { World } from './world.ts';

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
const LINES_LOOKED_UP = 3;

export type Demand = (holds: boolean, what: () => string) => void;
type Counts = { posted: number; voided: number; requests: number; errors: number };
/** By UTC day, as the page of usage shows it. */
export type Usage = ReadonlyMap<string, Counts>;
type LedgerLine = Awaited<ReturnType<Portal['ledger']>>['lines'][number];

const countsOf = (lines: readonly Line[], log: readonly LogLine[]): Usage => {
  const days = new Map<string, Counts>();
  const add = (atMs: number, more: Partial<Counts>): void => {
    const counts = days.get(dayOf(atMs)) ?? { posted: 0, voided: 0, requests: 0, errors: 0 };
    for (const [name, count] of Object.entries(more)) counts[name as keyof Counts] += count;
    days.set(dayOf(atMs), counts);
  };
  for (const { kind, credits, createdAtMs } of lines) {
    if (kind === 'post') add(createdAtMs, { posted: credits });
    if (kind === 'void') add(createdAtMs, { voided: credits });
  }
  for (const { atMs, status } of log) add(atMs, { requests: 1, errors: status >= 400 ? 1 : 0 });
  return days;
};

const textOf = (usage: Usage): string =>
  JSON.stringify(
    [...usage].sort(([a], [b]) => (a < b ? -1 : 1)).filter(([, counts]) => Object.values(counts).some(Boolean)),
  );

export const readUsage = async (world: World, accountId: string): Promise<Usage> => {
  const days = await inPortal(world, (portal) => portal.usage(accountId, 0));
  return new Map(days.map(({ day, posted, voided, requests, errors }) => [day, { posted, voided, requests, errors }]));
};
/** A caller may still have asked for its batch meanwhile: requests are the same, or more. */
export const isKeptUsage = (then: Usage, now: Usage): boolean =>
  [...then].every(([day, was]) => {
    const is = now.get(day);
    return (
      is?.posted === was.posted && is.voided === was.voided && is.requests >= was.requests && is.errors >= was.errors
    );
  });
const isSameUsage = (a: Usage, b: Usage): boolean => textOf(a) === textOf(b);

/** Page by page to the end; undefined where a page says that something is missing or could not be read. */
export const readLedger = async (world: World, accountId: string): Promise<LedgerLine[] | undefined> => {
  const lines: LedgerLine[] = [];
  for (let cursor: string | null = null; ; ) {
    const page: Awaited<ReturnType<Portal['ledger']>> = await inPortal(world, (portal) =>
      portal.ledger(accountId, cursor),
    );
    if (page.missing.length > 0 || page.unreadThrough !== null) return undefined;
    lines.push(...page.lines);
    cursor = page.next;
    if (cursor === null) return lines;
  }
};

export const readLog = async (world: World, accountId: string, keyId?: string): Promise<string[]> => {
  const ids: string[] = [];
  for (let cursor: string | null = null; ; ) {
    const page: Awaited<ReturnType<Portal['log']>> = await inPortal(world, (portal) =>
      portal.log(accountId, cursor, keyId),
    );
    ids.push(...page.rows.map(({ requestId }) => requestId));
    cursor = page.next;
    if (cursor === null) return ids;
  }
};

/** What an archived line does not have (why it was) is not compared. */
export const isSameLedger = (shown: readonly LedgerLine[] | undefined, lines: readonly Line[]): boolean => {
  const text = ({ sequence, kind, credits, available, batchId }: LedgerLine | Line): string =>
    [sequence, kind, credits, available, batchId].join();
  return shown !== undefined && shown.map(text).join('\n') === lines.toReversed().map(text).join('\n');
};

/** What each key spent is what the lines posted, by the holds that name their keys. */
export const spendingLaw = async (
  world: World,
  { accountId, lines, holds }: AccountRows,
  demand: Demand,
): Promise<void> => {
  const months = Map.groupBy(
    lines.filter(({ kind }) => kind === 'post'),
    ({ createdAtMs }) => dayOf(createdAtMs).slice(0, 7),
  );
  for (const [month, posts] of months) {
    const byKey = new Map<string, number>();
    let credits = 0;
    for (const post of posts) {
      const keyId = holds.get(post.batchId ?? '')?.keyId ?? '';
      byKey.set(keyId, (byKey.get(keyId) ?? 0) + post.credits);
      credits += post.credits;
    }
    byKey.delete('');
    const right = { credits, keys: [...byKey].map(([keyId, spent]) => `${keyId} ${spent}`).sort() };
    const spent = await inPortal(world, (portal) => portal.spending(accountId, month));
    const shown = { ...spent, keys: spent.keys.map((key) => `${key.keyId} ${key.credits}`).sort() };
    demand(
      JSON.stringify(shown) === JSON.stringify(right),
      () => `${accountId}: spending of ${month} is shown as ${JSON.stringify(shown)}, is ${JSON.stringify(right)}`,
    );
  }
};

/** Usage, ledger and log of an account whose lines are all there. */
export const readingLaws = async (
  world: World,
  book: Book,
  { accountId, keys }: Account,
  rows: AccountRows,
  batches: readonly BatchRows[],
  demand: Demand,
): Promise<void> => {
  const { lines } = rows;
  await spendingLaw(world, rows, demand);
  await imageSplitLaw(world, rows, batches, demand);
  const log = logOf(world, accountId);
  await requestSplitLaw(world, accountId, log, demand);
  const [usage, right] = [await readUsage(world, accountId), countsOf(lines, log)];
  demand(isSameUsage(usage, right), () => `${accountId}: usage ${textOf(usage)}, rows ${textOf(right)}`);
  demand(isSameLedger(await readLedger(world, accountId), lines), () => `${accountId}: the ledger is shown otherwise`);
  for (const keyId of [undefined, keys.live.id, keys.test.id]) {
    const [shown, rows] = [
      await readLog(world, accountId, keyId),
      log.filter((line) => keyId === undefined || line.keyId === keyId).map(({ requestId }) => requestId),
    ];
    demand(String(shown) === String(rows), () => `${accountId}: the log of ${keyId} shows ${shown}, has ${rows}`);
  }
  for (const line of log.slice(0, LINES_LOOKED_UP)) {
    const shown = await inPortal(world, (portal) => portal.logLine(accountId, line.requestId));
    demand(shown?.status === line.status, () => `${line.requestId} is shown with ${shown?.status}, is ${line.status}`);
  }
  toldLaws(book, accountId, log, demand);
};

/** The log says of a request what its caller was told. */
const toldLaws = (book: Book, accountId: string, log: readonly LogLine[], demand: Demand): void => {
  const byId = new Map(log.map((line) => [line.requestId, line]));
  for (const { wish, heard } of book.tries) {
    if (!heard || wish.account.accountId !== accountId) continue;
    const line = byId.get(heard.headers.get('request-id') ?? '');
    const told = heard.body['batch_id'];
    const isSame = !line || (line.status === heard.status && (told === undefined || line.batchId === told));
    demand(
      isSame,
      () => `${line?.requestId} is logged as ${line?.status} of ${line?.batchId}, was told ${heard.status} of ${told}`,
    );
  }
};
