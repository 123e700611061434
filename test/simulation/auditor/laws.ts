/**
 * The laws, written against the specification, from rows and wire answers alone. Read when all has come to rest.
 */
import { imageId } from '../../../shared/ids.ts';
import { limits } from '../../../shared/limits.ts';
import { digestOf, WRONG_CONTENT } from '../platform/content.ts';
import type { Stored } from '../platform/r2.ts';
import type { World } from '../world.ts';
import { answerLaws } from './answers.ts';
import type { Book, Endpoint, Listened } from './book.ts';
import type { AccountRows, BatchRows, Line, Rows } from './rows.ts';

const isRightFile = (object: Stored | undefined): boolean =>
  object !== undefined && !object.md5.equals(digestOf(WRONG_CONTENT));

export const laws = {
  balance: 'granted = available + held + spent, and equals what was bought',
  held: 'nothing is held for ever',
  agree: 'ledger rows agree with batch rows',
  outcome: 'every image has one outcome',
  file: 'a charged image has its download, and its link brings it',
  lines: 'every line of the ledger follows from the one before it, and the last one is the balance',
  once: 'an image is charged at most once, a failed one never',
  key: 'an Idempotency-Key is charged for one batch at most',
  told: 'nobody who was told of an error was charged, unless the answer named the batch',
  mine: 'an answer is about the images that were sent with it',
  counts: 'every number in an answer equals the rows at the end',
  kept: 'what was accepted is known to the status endpoint, and over',
  stays: 'an outcome that was shown stays as it was',
  prompt: 'an image whose message was lost is taken up long before its deadline',
  revoked: "what a revoked key's batches had not begun fails soon, and no other key's batch is ended so",
  patience: 'only its deadline ends an image of a batch that no node ever took',
  cap: 'a key with a spending cap never has more credits of one UTC day held or spent than that',
  free: 'test keys are not charged, and make no more images a day than their quota',
  refused: 'a wrong request is refused and leaves nothing',
  checks: 'a free check is answered by findings or a reason, names no batch, charges nothing and leaves no photo',
  exported: 'origin has the ledger as it is',
  erased: 'of what its owner deleted only amounts stay, and no amount changes',
  shown: 'what the portal shows of usage, requests and the ledger is what the rows and the answers say',
  keys: 'a key does what it was given, from where and until when it was given it, and nothing else',
  files: 'files live as long as their account wants, and no longer',
  events: "who listens hears of each batch's end once, truly, and of no other's",
  past: 'after a month amounts are left, in a checkpoint that follows from the exported lines, and nothing else',
  low: "each fall of the balance to its owner's level is noted once and told, and nothing else is",
  webhook: 'the end of a batch was told to its webhook, truly',
  endpoint:
    "an account's endpoint hears of each end of a batch and each fall of the balance, truly, and of nothing else",
} as const;
export type Law = keyof typeof laws;
export type Finding = { readonly law: Law; readonly what: string };
export type Demand = (law: Law, holds: boolean, what: () => string) => void;

export const audit = (world: World, book: Book, rows: Rows): { findings: Finding[]; checks: number } => {
  const findings: Finding[] = [];
  let checks = 0;
  const demand: Demand = (law, holds, what) => {
    checks++;
    world.tally(`law ${law}`);
    if (!holds) findings.push({ law, what: what() });
  };
  const batches = new Map(rows.batches.map((batch) => [batch.batchId, batch]));
  for (const account of rows.accounts) {
    accountLaws(demand, account, book, batches);
    lineLaws(demand, account);
    lowLaw(demand, account);
    capLaw(demand, account, book, batches);
  }
  const revoked = new Set(book.accounts.filter((account) => account.revoked).map(({ accountId }) => accountId));
  for (const batch of rows.batches) {
    batchLaws(demand, batch, rows, world);
    if (batch.webhookUrl !== null && batch.over) webhookLaws(demand, batch, revoked.has(batch.accountId), world);
    // Lost by the platform, an alarm comes back with the next call; a batch that nobody was told of gets none.
    const isAskedFor = book.statuses.has(batch.batchId) && !revoked.has(batch.accountId);
    const isAwake = world.namespaces.SAGA.hosts.get(batch.batchId)?.alarmWasLost() === false;
    if (batch.style === 'batch' && (isAskedFor || isAwake)) promptLaw(demand, batch);
    const isRevoked = book.accounts.some(({ revoked: gone, keys }) => gone && keys.live.id === batch.keyId);
    revokedLaw(demand, batch, isRevoked, world);
  }
  checkLaws(demand, book, world);
  for (const listened of book.listeners) eventLaws(demand, listened, rows);
  for (const endpoint of book.endpoints) endpointLaws(demand, endpoint, rows, world);
  exportLaws(demand, rows, world);
  answerLaws(demand, book, rows);
  return { findings, checks };
};

const accountLaws = (
  demand: Demand,
  account: AccountRows,
  book: Book,
  batches: ReadonlyMap<string, BatchRows>,
): void => {
  const { accountId, granted, available, held, spent, pending, posts, voids, holds, moved, testDays } = account;
  const totals = `granted ${granted}, available ${available}, held ${held}, spent ${spent}`;
  demand('balance', granted === available + held + spent, () => `${accountId}: ${totals}`);
  demand('balance', granted === moved, () => `${accountId}: granted ${granted}, entries say ${moved}`);
  demand('balance', spent === posts.size, () => `${accountId}: spent ${spent}, posted ${posts.size}`);
  const ordered = book.accounts.find((known) => known.accountId === accountId)?.granted;
  if (ordered !== undefined)
    demand('balance', granted === ordered, () => `${accountId}: granted ${granted}, bought ${ordered}`);
  demand('held', held === 0 && pending === 0, () => `${accountId} still holds ${held} credits (${pending} pending)`);
  for (const [day, images] of testDays)
    demand('free', images <= limits.testImages.perDay, () => `${accountId}: test keys made ${images} images on ${day}`);
  for (const [image, times] of posts)
    demand(
      'once',
      times === 1 && !voids.has(image),
      () => `${image} posted ${times} times, voided ${voids.get(image) ?? 0}`,
    );
  for (const [batchId, hold] of holds)
    if (hold.posted > 0) demand('agree', batches.has(batchId), () => `${batchId} is charged and no batch knows of it`);
};

/**
 * Line by line: what a hold takes counts on its day, what is voided or released comes back to that day. The one live key
 * of the account's book has the cap; the key that came with the account is not used then.
 */
const capLaw = (
  demand: Demand,
  { accountId, lines }: AccountRows,
  book: Book,
  batches: ReadonlyMap<string, BatchRows>,
): void => {
  const known = book.accounts.find((account) => account.accountId === accountId);
  if (!known || known.cap === null) return;
  const { cap } = known;
  const days = new Map<string | null, string>();
  const used = new Map<string, number>();
  for (const { sequence, kind, credits, batchId, createdAtMs } of lines) {
    if (kind === 'hold') {
      const day = new Date(createdAtMs).toISOString().slice(0, 10);
      days.set(batchId, day);
      const after = (used.get(day) ?? 0) - credits;
      used.set(day, after);
      const keyId = batches.get(batchId ?? '')?.keyId ?? known.keys.live.id;
      demand(
        'cap',
        after <= cap && keyId === known.keys.live.id,
        () => `${accountId}: with line ${sequence} ${keyId} has ${after} credits of ${day}, its cap is ${cap}`,
      );
    }
    const day = days.get(batchId);
    if ((kind === 'void' || kind === 'release') && day !== undefined) used.set(day, (used.get(day) ?? 0) - credits);
  }
};

type Sums = Pick<Line, 'granted' | 'available' | 'held' | 'spent'>;

/** Books of our own, line by line. */
const lineLaws = (demand: Demand, account: AccountRows): void => {
  let books: Sums = { granted: 0, available: 0, held: 0, spent: 0 };
  for (const [i, line] of account.lines.entries()) {
    books = afterLine(books, line);
    const { granted, available, held, spent } = books;
    const right =
      line.granted === granted && line.available === available && line.held === held && line.spent === spent;
    demand('lines', right, () => `${account.accountId}: line ${line.sequence} (${line.kind}) does not follow`);
    demand('lines', line.sequence === i + 1, () => `${account.accountId}: line ${i + 1} is called ${line.sequence}`);
    if (line.kind === 'hold')
      demand('lines', available >= 0, () => `${account.accountId}: line ${line.sequence} holds what is not there`);
  }
  const last = books.available === account.available && books.held === account.held && books.spent === account.spent;
  demand('lines', last, () => `${account.accountId}: the balance is not that of the last line`);
};

/** By the lines alone, of which the level is as old as the second. */
const lowLaw = (demand: Demand, { accountId, alertLevel: level, crossings, lines }: AccountRows): void => {
  const balances = lines.map(({ available, held }) => available + held);
  const falls = balances.filter((balance, i) => level !== null && balance <= level && (balances[i - 1] ?? 0) > level);
  const noted = crossings.map(({ balance }) => balance);
  demand('low', String(noted) === String(falls), () => `${accountId}: fell to ${level} at ${falls}, noted ${noted}`);
  demand(
    'low',
    crossings.every(({ dueAtMs }) => dueAtMs === null),
    () => `${accountId}: a crossing was not told`,
  );
};

const afterLine = ({ granted, available, held, spent }: Sums, { kind, credits }: Line): Sums => {
  switch (kind) {
    case 'hold':
      return { granted, available: available + credits, held: held - credits, spent };
    case 'post':
      return { granted, available, held: held - credits, spent: spent + credits };
    case 'void':
    case 'release':
      return { granted, available: available + credits, held: held - credits, spent };
    default:
      return { granted: granted + credits, available: available + credits, held, spent };
  }
};

const batchLaws = (demand: Demand, batch: BatchRows, rows: Rows, world: World): void => {
  const { batchId, hold, images, completed, failed, processing, over, mode } = batch;
  const account = rows.accounts.find(({ accountId }) => accountId === batch.accountId);
  const count = (status: string): number => images.filter((image) => image.status === status).length;
  demand(
    'agree',
    completed === count('completed') && failed === count('failed') && processing === count('processing'),
    () =>
      `${batchId} counts ${completed} completed, ${failed} failed; its images say ${count('completed')}, ${count('failed')}`,
  );
  const charged = account?.holds.get(batchId);
  if (mode === 'test') demand('free', !charged?.images, () => `${batchId} of a test key holds credits`);
  if (hold === 'refused') {
    demand('agree', !charged?.posted, () => `${batchId} is refused and charged`);
    return;
  }
  demand(
    'outcome',
    hold !== 'asking' && over,
    () => `${batchId} (${hold}) is not over: ${images.map(({ status }) => status).slice(0, 20)}`,
  );
  for (const { index, status } of images) {
    demand('outcome', status === 'completed' || status === 'failed', () => `${batchId}:${index} is ${status}`);
    const image = `${batchId}:${index}`;
    const [posted, voided] = [account?.posts.has(image) ?? false, account?.voids.has(image) ?? false];
    if (status === 'completed') {
      const place = String(index).padStart(4, '0');
      const files = [
        `results/${batchId}/${place}.${batch.format}`,
        ...(batch.others ?? []).map(
          ({ marketplace, format }) => `results/${batchId}/${place}.${marketplace}.${format}`,
        ),
        `results/${batchId}/${place}.preview.jpg`,
      ];
      world.tally(`completed for ${1 + (batch.others?.length ?? 0)}`);
      demand(
        'file',
        files.every((key) => isRightFile(world.bucket.objects.get(key))),
        () => `${image} is completed without its files`,
      );
    }
    if (mode === 'test') demand('free', !posted && !voided, () => `${image} of a test key moved a credit`);
    if (hold !== 'held' || mode === 'test') continue;
    if (status === 'completed') demand('agree', posted && !voided, () => `${image} is completed and not charged`);
    if (status === 'failed') demand('once', !posted, () => `${image} failed and is charged`);
    if (status === 'failed') demand('agree', voided, () => `${image} failed and its credit was not returned`);
  }
  if (batch.style === 'batch' && batch.early) patienceLaw(demand, batch, world);
};

/**
 * Trouble lasts minutes, alarms are hours late at most, and the deadline of a batch is six hours away. Where the platform
 * loses an alarm outright, the next call to the batch sets it again; a revoked key makes none, and then the account's
 * own check after twelve hours is what returns the credits.
 */
const promptLaw = (demand: Demand, { batchId, images }: BatchRows): void => {
  for (const { index, code } of images)
    demand('prompt', code !== 'deadline_exceeded', () => `${batchId}:${index} was left to its deadline`);
};

/** An alarm that the platform lost comes back with a call, of which an account without a key may get none for long. */
const revokedLaw = (
  demand: Demand,
  { batchId, accountId, style, images }: BatchRows,
  isRevoked: boolean,
  world: World,
): void => {
  const isDriven = world.namespaces.ACCOUNT.hosts.get(accountId)?.alarmWasLost() === false;
  for (const { index, code } of images) {
    if (code === 'batch_stopped') world.tally('stopped by a revocation');
    demand('revoked', code !== 'batch_stopped' || isRevoked, () => `${batchId}:${index} was stopped without a reason`);
    if (isRevoked && isDriven && style === 'batch')
      demand('revoked', code !== 'deadline_exceeded', () => `${batchId}:${index} outlived its key to its deadline`);
  }
};

/** Codes that tell of the fleet, not of the image or its address. */
const FLEET = new Set(['origin_unavailable', 'origin_busy', 'processing_failed', 'deadline_exceeded']);

const patienceLaw = (demand: Demand, { batchId, images }: BatchRows, world: World): void => {
  for (const { index, code } of images) {
    const isFleets = code !== null && FLEET.has(code);
    const taken = world.origin.taken.has(imageId(batchId, index));
    demand('patience', taken || !isFleets, () => `${batchId}:${index} failed with ${code}; no node was ever given it`);
  }
};

/** Far above what the schedule of attempts and answers that were lost come to. */
const DELIVERIES_MAX = 200;

/** Nobody whose key was revoked asks for the batch any more, so that an alarm which the platform lost stays lost. */
const webhookLaws = (demand: Demand, batch: BatchRows, isRevoked: boolean, world: World): void => {
  const told = world.strangers.deliveries.filter(({ body }) => body.batch_id === batch.batchId);
  const isAsleep = isRevoked && world.namespaces.SAGA.hosts.get(batch.batchId)?.alarmWasLost() === true;
  demand('webhook', told.length > 0 || isAsleep, () => `${batch.batchId} is over and its webhook never heard`);
  const status = statusOf(batch);
  demand('webhook', told.length <= DELIVERIES_MAX, () => `${told.length} webhooks for ${batch.batchId}`);
  for (const { body } of told)
    demand(
      'webhook',
      body.status === status,
      () => `the webhook of ${batch.batchId} heard ${body.status}, it is ${status}`,
    );
};

const endpointLaws = (demand: Demand, { account, url, sinceMs }: Endpoint, rows: Rows, world: World): void => {
  const { accountId } = account;
  const told = world.strangers.deliveries.filter((one) => one.url === url);
  const own = rows.batches.filter(
    (batch) => batch.accountId === accountId && batch.mode === 'live' && batch.style === 'batch',
  );
  const ends = told.filter(({ body }) => body.type === undefined);
  for (const { body } of ends) {
    const batch = own.find(({ batchId }) => batchId === body.batch_id);
    const right = batch?.over ? statusOf(batch) : 'none';
    demand('endpoint', right === body.status, () => `${url} heard ${body.status} of ${body.batch_id}, it is ${right}`);
  }
  // Lost by the platform, an alarm comes back with the next call, which nobody makes once the key is revoked.
  const wasLost = (['ACCOUNT', 'HISTORY'] as const).some(
    (binding) => world.namespaces[binding].hosts.get(accountId)?.alarmWasLost() === true,
  );
  if (account.revoked && wasLost) return;
  const heard = new Set(ends.map(({ body }) => body.batch_id));
  for (const { batchId, hold, completedAtMs } of own)
    if (hold === 'held' && completedAtMs !== null && completedAtMs > sinceMs + SKEW_MS)
      demand('endpoint', heard.has(batchId), () => `${url} never heard of ${batchId}`);
  const falls = new Set(told.filter(({ body }) => body.type === 'balance.low').map(({ id }) => id)).size;
  const crossings = rows.accounts.find((one) => one.accountId === accountId)?.crossings.length ?? 0;
  demand('endpoint', falls === crossings, () => `${url} heard of ${falls} falls of the balance of ${crossings}`);
};

const statusOf = ({ failed, completed }: BatchRows): string =>
  failed === 0 ? 'completed' : completed === 0 ? 'failed' : 'completed_with_errors';
/** Clocks differ by up to 10 s. */
const SKEW_MS = 10_000;

const eventLaws = (demand: Demand, { account, sinceMs, hasGap, events }: Listened, { batches }: Rows): void => {
  const own = batches.filter(
    ({ accountId, mode, style }) => accountId === account.accountId && mode === 'live' && style === 'batch',
  );
  const heard = new Set(events.map(({ batchId }) => batchId));
  demand('events', heard.size === events.length, () => `${account.accountId}: an end was heard of twice: ${events}`);
  for (const { batchId, status } of events) {
    const batch = own.find((one) => one.batchId === batchId);
    const right = batch && statusOf(batch);
    demand('events', right === status, () => `the feed says ${status} of ${batchId}, it is ${right}`);
  }
  // With its key revoked a listener hears no more.
  if (account.revoked || hasGap || sinceMs === null) return;
  for (const { batchId, completedAtMs, hold } of own)
    if (hold === 'held' && completedAtMs !== null && completedAtMs > sinceMs + SKEW_MS)
      demand('events', heard.has(batchId), () => `the feed of ${account.accountId} never told of ${batchId}`);
};

/** That no credit moved is what the laws of the balance say: every line of the ledger belongs to a batch or a payment. */
const checkLaws = (demand: Demand, book: Book, world: World): void => {
  for (const heard of book.checks) {
    if (!heard) continue;
    const { status, headers, body } = heard;
    const isAnswered = status === 200 ? Array.isArray(body['findings']) : typeof body['code'] === 'string';
    demand('checks', isAnswered, () => `a check was answered with ${status} and neither findings nor a reason`);
    demand('checks', body['batch_id'] === undefined, () => `a check named the batch ${body['batch_id']}`);
    const charged = headers.get('x-credits-charged') ?? '0';
    demand('checks', charged === '0', () => `a check was charged ${charged} credits`);
  }
  const left = [...world.bucket.objects.keys()].filter((key) => key.startsWith('checks/'));
  if (book.checks.length > 0) demand('checks', left.length === 0, () => `checks left ${left}`);
};

const exportLaws = (demand: Demand, rows: Rows, world: World): void => {
  const { exported, conflicting } = world.origin;
  demand('exported', conflicting.length === 0, () => `rows were exported twice with other content: ${conflicting}`);
  const entries = rows.accounts.reduce((sum, account) => sum + account.entries, 0);
  const lines = [...exported.keys()].filter((id) => id.startsWith('led_')).length;
  demand('exported', lines === entries, () => `origin has ${lines} ledger entries of ${entries}`);
};
