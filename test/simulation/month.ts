/**
 * In some seeds an account chooses how long its files are kept and has some more made; its pages are read; then a month
 * passes, after which only amounts are left, and its pages say what they said.
 */
import { chained } from '../../shared/ledger-checkpoint.ts';
import { limits } from '../../shared/limits.ts';
import type { Account, Book, Wish } from './auditor/book.ts';
import type { Finding, Law } from './auditor/laws.ts';
import { type BatchRows, checkpointOf, isQuiet, pastOf, type Rows, readRows, textsOf } from './auditor/rows.ts';
import { sweepLater } from './checks.ts';
import { askBalance, poll, sleep, startClient } from './client.ts';
import { moneyMoved } from './deletions.ts';
import { hashOf } from './outside/origin.ts';
import { buy, inPortal, inWorld } from './owner.ts';
import { type Faults, noFaults } from './platform/faults.ts';
import { newActor } from './platform/scheduler.ts';
import {
  isKeptUsage,
  isSameLedger,
  readingLaws,
  readLedger,
  readLog,
  readUsage,
  spendingLaw,
  type Usage,
} from './reading.ts';
import { imageSplitLaw } from './splits.ts';
import type { World } from './world.ts';

const SEEDS_PER_SEED_WITH_A_MONTH = 64;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const TROUBLE_MS = 20 * MINUTE;
/** With two margins less than the shortest life of files. */
const PEACE_MS_MAX = 14 * HOUR;
const CREDITS = 20;
/** Lines are folded and holds swept some days after their month, with a day between two looks. */
const MONTH_MS = 35 * DAY;

/** By the seed alone, so that other seeds are what they were before. */
export const hasMonth = (seed: number): boolean => hashOf(`month ${seed}`) % SEEDS_PER_SEED_WITH_A_MONTH === 0;

type Demand = (law: Law, holds: boolean, what: () => string) => void;
/** `days`: how long files of its batches are kept from now on. */
type Choice = { readonly account: Account; readonly days: number | null };

export const passMonth = async (
  world: World,
  book: Book,
  faults: Faults,
  trouble: Partial<Faults>,
): Promise<Finding[]> => {
  const findings: Finding[] = [];
  const demand: Demand = (law, holds, what) => {
    world.tally(`law ${law}`);
    if (!holds) findings.push({ law, what: what() });
  };
  const old = new Set(readRows(world).batches.map(({ batchId }) => batchId));
  const choices = await inWorld(world, () => choose(world, book));
  const chosenMs = world.now();
  Object.assign(faults, trouble);
  for (const { account } of choices) askForMore(world, book, account);
  await world.run(world.now() + TROUBLE_MS);
  Object.assign(faults, noFaults());
  const endsMs = world.now() + PEACE_MS_MAX;
  do await world.run(world.now() + HOUR);
  while (world.now() < endsMs && !isQuiet(readRows(world)));
  const rows = readRows(world);
  const made = rows.batches.filter(({ batchId }) => !old.has(batchId));
  await onceLaws(world, book, choices, made, demand);
  // Lost by the platform, an alarm comes back with the next call.
  for (const account of book.accounts) askBalance(world, book, account);
  await world.run(world.now() + 5 * MINUTE);
  const usages = new Map<string, Usage>();
  await inWorld(world, async () => {
    for (const account of book.accounts) {
      const own = rows.accounts.find(({ accountId }) => accountId === account.accountId);
      if (own)
        await readingLaws(world, book, account, own, rows.batches, (holds, what) => demand('shown', holds, what));
      usages.set(account.accountId, await readUsage(world, account.accountId));
    }
  });
  await lastingLaws(world, choices, chosenMs, made, demand);
  await world.run(world.now() + MONTH_MS);
  sweepLater(world);
  await world.run(world.now() + HOUR);
  for (const account of book.accounts) await pastLaws(world, account, rows, usages, demand);
  batchLaws(world, rows, demand);
  findings.push(...moneyMoved(world, rows));
  return findings;
};

/** And buys some more credits. */
const choose = async (world: World, book: Book): Promise<Choice[]> => {
  const choices: Choice[] = [];
  for (const account of book.accounts) {
    if (account.revoked) continue;
    const days = world.random.pick([0, 0, 1, 3, 30, null]);
    const set = await inPortal(world, (portal) => portal.setRetention(account.accountId, days));
    if (set !== days) throw new Error(`the retention of ${account.accountId} is ${set}, not ${days}`);
    await buy(world, account, 'month', CREDITS);
    choices.push({ account, days });
  }
  return choices;
};

const askForMore = (world: World, book: Book, account: Account): void => {
  for (const style of ['upload', 'batch'] as const) {
    const wish: Wish = {
      id: `m${style}${book.wishes.length}`,
      account,
      style,
      images: world.random.between(1, 3),
      idempotencyKey: `month ${style}`,
      mode: 'live',
      webhookUrl: undefined,
      marketplaces: [],
      respondAsync: false,
      changes: false,
      contested: false,
    };
    book.wishes.push(wish);
    startClient(world, book, wish);
  }
};

const opened = (made: readonly BatchRows[], { account }: Choice): BatchRows[] =>
  made.filter((batch) => batch.accountId === account.accountId && batch.hold === 'held' && batch.over);
/** Files of an image that failed have no link: they go with their batch's. */
const resultsOf = (world: World, batch: BatchRows): string[] =>
  batch.images
    .filter(({ status }) => status === 'completed')
    .flatMap(({ index }) => {
      const place = `results/${batch.batchId}/${String(index).padStart(4, '0')}.`;
      return [...world.bucket.objects.keys()].filter((key) => key.startsWith(place));
    });

/** With 0 days, results go once they were downloaded. */
const onceLaws = async (
  world: World,
  book: Book,
  choices: readonly Choice[],
  made: readonly BatchRows[],
  demand: Demand,
): Promise<void> => {
  const taken: BatchRows[] = [];
  for (const choice of choices.filter(({ days }) => days === 0))
    for (const batch of opened(made, choice)) {
      await inWorld(world, () => takeAll(world, book, choice.account, batch, demand));
      taken.push(batch);
    }
  if (taken.length === 0) return;
  await world.run(world.now() + MARGIN_MS);
  for (const batch of taken) {
    const results = resultsOf(world, batch);
    demand('files', results.length === 0, () => `${results} were delivered and are still there`);
  }
};

const DAYS_DEFAULT = limits.retention.daysDefault;
/** The batches were made within this of the choice, whatever the clocks; an alarm may be late. */
const MARGIN_MS = 4 * HOUR;

/** An alarm that the platform lost comes back with a call, which nobody makes for a batch that nobody knows of. */
const isDriven = (world: World, { batchId }: BatchRows): boolean =>
  world.namespaces.SAGA.hosts.get(batchId)?.alarmWasLost() !== true;

/** Looks shortly before files are to go, and shortly after. */
const lastingLaws = async (
  world: World,
  choices: readonly Choice[],
  chosenMs: number,
  made: readonly BatchRows[],
  demand: Demand,
): Promise<void> => {
  // What nobody downloads, and an input that a message stored which came twice, goes after a day at the latest.
  const byDays = Map.groupBy(choices, ({ days }) => Math.max(1, days ?? DAYS_DEFAULT));
  for (const [days, alike] of [...byDays].sort(([a], [b]) => a - b)) {
    const driven = (some: readonly Choice[]): BatchRows[] =>
      some.flatMap((choice) => opened(made, choice)).filter((batch) => isDriven(world, batch));
    const endsMs = chosenMs + days * DAY;
    await world.run(endsMs - MARGIN_MS);
    for (const batch of driven(alike.filter((choice) => choice.days !== 0))) {
      const completed = batch.images.filter(({ status }) => status === 'completed').length;
      const files = resultsOf(world, batch).length;
      demand('files', files === 2 * completed, () => `${batch.batchId} has ${files} files of ${completed} images`);
    }
    await world.run(endsMs + MARGIN_MS);
    for (const { batchId } of driven(alike)) {
      const files = [...world.bucket.objects.keys()].filter((key) => key.includes(batchId));
      demand('files', files.length === 0, () => `${files} outlive the ${days} days that their account wants`);
    }
  }
};

type Linked = { readonly status: string; readonly clean_download_url?: string };

/** Downloads every result, and once more, when it is not there any more. */
const takeAll = async (
  world: World,
  book: Book,
  account: Account,
  { batchId }: BatchRows,
  demand: Demand,
): Promise<void> => {
  const actor = newActor('owner');
  const wish = { account, mode: 'live' } as Wish;
  const heard = await poll(world, book, { wish, actor }, batchId);
  const images = (heard?.body['images'] ?? []) as readonly Linked[];
  for (const { clean_download_url: url } of images) {
    if (!url) continue;
    const get = () => world.door.send(actor, { method: 'GET', path: new URL(url).pathname, headers: {} });
    const first = await get();
    demand('files', first?.status === 200, () => `${url} answers ${first?.status} to its first download`);
    await sleep(MINUTE);
    const code = (await get())?.body['code'];
    demand('files', code === 'result_delivered', () => `${url} answers ${code} to its second download`);
  }
};

const pastLaws = async (
  world: World,
  { accountId }: Account,
  before: Rows,
  usages: ReadonlyMap<string, Usage>,
  demand: Demand,
): Promise<void> => {
  const { logged, answers, holds, lines } = pastOf(world, accountId);
  const past = (count: number, what: string): void =>
    demand('past', count === 0, () => `${accountId} has ${count} ${what} of a month ago`);
  past(logged, 'lines of its log');
  past(answers, 'answers');
  past(holds, 'holds');
  past(lines, 'lines of its ledger that are no payments');
  const own = before.accounts.find((account) => account.accountId === accountId);
  const all = own?.lines ?? [];
  const [checkpoint, sent] = [checkpointOf(world, accountId), world.origin.checkpoints.get(accountId)];
  const { sequence = 0, granted, available, held, spent } = all.at(-1) ?? {};
  const totals = [sequence, granted, available, held, spent];
  const kept = checkpoint && [
    checkpoint.throughSequence,
    checkpoint.granted,
    checkpoint.available,
    checkpoint.held,
    checkpoint.spent,
  ];
  demand(
    'past',
    String(kept) === String(totals),
    () => `${accountId}: the checkpoint says ${kept}, the last line ${totals}`,
  );
  await inWorld(world, async () => {
    const chain = await chained('', world.origin.linesOf(accountId));
    const isSame = checkpoint?.chain === chain && sent?.chain === chain && sent.through_seq === sequence;
    demand('past', isSame, () => `${accountId}: the checkpoint's chain is not that of the exported lines`);
    const shown = await readLedger(world, accountId);
    demand('shown', isSameLedger(shown, all), () => `${accountId}: the ledger is shown otherwise after a month`);
    const [usage, then] = [await readUsage(world, accountId), usages.get(accountId)];
    demand('shown', then !== undefined && isKeptUsage(then, usage), () => `${accountId}: its usage changed in a month`);
    if (own) await spendingLaw(world, own, (holds, what) => demand('shown', holds, what));
    if (own) await imageSplitLaw(world, own, before.batches, (holds, what) => demand('shown', holds, what));
    const log = await readLog(world, accountId);
    demand('past', log.length === 0, () => `${accountId}: the log still shows ${log}`);
  });
};

const batchLaws = (world: World, { batches }: Rows, demand: Demand): void => {
  for (const batch of batches) {
    if (!isDriven(world, batch)) continue;
    const { batchId } = batch;
    const rows = textsOf(world, 'SAGA', batchId);
    demand('past', rows.length === 0, () => `${batchId} has ${rows.length} rows after a month`);
    const files = [...world.bucket.objects.keys()].filter((key) => key.includes(batchId));
    demand('files', files.length === 0, () => `${files} are there after a month`);
  }
};
