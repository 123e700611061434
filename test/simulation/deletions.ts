/**
 * Owners delete what they had made, in some seeds, after the auditor has read everything else: images, batches, and all
 * data of an account. Calls, stores and objects fail meanwhile, then no more, and half a day later nothing may be left
 * but amounts.
 */
import { imageId } from '../../shared/ids.ts';
import { batchImagePath, batchPath, paths, statusPath } from '../../shared/paths.ts';
import type { Account, Book } from './auditor/book.ts';
import type { Finding } from './auditor/laws.ts';
import { type AccountRows, type BatchRows, isErased, logOf, type Rows, readRows, textsOf } from './auditor/rows.ts';
import { askBalance, sleep } from './client.ts';
import { hashOf } from './outside/origin.ts';
import { inWorld, makeKey } from './owner.ts';
import type { Faults } from './platform/faults.ts';
import { noFaults } from './platform/faults.ts';
import { newActor, runAs } from './platform/scheduler.ts';
import type { Heard } from './wire.ts';
import type { World } from './world.ts';

const SEEDS_PER_SEED_WITH_DELETIONS = 16;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const TROUBLE_MS = 20 * MINUTE;
const TRIES_MAX = 60;

/** By the seed alone, so that seeds without deletions are what they were before there were any. */
export const hasDeletions = (seed: number): boolean =>
  hashOf(`deletions ${seed}`) % SEEDS_PER_SEED_WITH_DELETIONS === 0;

/** All data of an account, by a key that may. */
type Erased = { readonly accountId: string; readonly key: string; heard: Heard; heardAtMs: number };
type Deleted = {
  readonly account: Account;
  readonly batch: BatchRows;
  /** Null: the whole batch. */
  readonly index: number | null;
  heard: Heard;
  heardAtMs: number;
};

/** `faults` are the world's own, changed in place. Gives what is still there, and what was changed that should not be. */
export const deleteAndLook = async (
  world: World,
  book: Book,
  before: Rows,
  faults: Faults,
  trouble: Partial<Faults>,
): Promise<Finding[]> => {
  const deleted = wishesOf(world, book, before);
  const erased: Erased[] = [];
  for (const account of book.accounts)
    if (!account.revoked && world.random.chance(0.3)) {
      const key = await inWorld(world, () => makeKey(world, account, ['admin']));
      erased.push({ accountId: account.accountId, key, heard: undefined, heardAtMs: 0 });
    }
  Object.assign(faults, trouble);
  for (const one of deleted) later(world, () => askFor(world, one));
  await world.run(world.now() + TROUBLE_MS);
  for (const one of erased) later(world, () => eraseAll(world, one));
  await world.run(world.now() + TROUBLE_MS);
  Object.assign(faults, noFaults());
  // Lost by the platform, an alarm comes back with the next call.
  for (const account of book.accounts) askBalance(world, book, account);
  for (const { account, batch } of deleted) later(world, () => look(world, keyOf(account, batch), batch.batchId));
  await world.run(world.now() + 12 * HOUR);
  const isDone = ({ heard }: { readonly heard: Heard }): boolean => heard !== undefined && heard.status < 300;
  const [batchesGone, accountsGone] = [deleted.filter(isDone), erased.filter(isDone)];
  return [
    ...batchesGone.flatMap((one) => leftOf(world, one)),
    ...accountsGone.flatMap((one) => leftOfAccount(world, one, before)),
    ...moneyMoved(world, before),
  ];
};

/** Half of the batches, or one image of some, by the keys that made them. */
const wishesOf = (world: World, book: Book, { batches }: Rows): Deleted[] =>
  batches.flatMap((batch): Deleted[] => {
    const account = book.accounts.find(({ keys }) => [keys.live.id, keys.test.id].includes(batch.keyId));
    if (!account || account.revoked || batch.hold !== 'held' || world.random.chance(0.4)) return [];
    const index = world.random.chance(0.5) ? world.random.between(0, batch.images.length - 1) : null;
    return [{ account, batch, index, heard: undefined, heardAtMs: 0 }];
  });

const later = (world: World, work: () => Promise<void>): void =>
  void world.after(world.random.between(0, TROUBLE_MS / 2), () =>
    runAs(world.scheduler, newActor('owner'), () => void work().catch(world.broken)),
  );

type Answered = { readonly heard: Heard; readonly heardAtMs: number };
/** Until it is told that it is done, or being done. */
const insist = async (world: World, key: string, path: string): Promise<Answered> => {
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    const headers = { authorization: `Bearer ${key}` };
    const heard = await world.door.send(newActor('owner'), { method: 'DELETE', path, headers });
    world.tally(heard ? `deletion ${heard.status} ${heard.body['code'] ?? ''}`.trim() : 'deletion without an answer');
    if (heard && heard.status < 500 && heard.status !== 429) return { heard, heardAtMs: world.now() };
    await sleep(world.random.between(1_000, MINUTE));
  }
  return { heard: undefined, heardAtMs: 0 };
};

const askFor = async (world: World, one: Deleted): Promise<void> => {
  const { account, batch, index } = one;
  const { batchId } = batch;
  const path = index === null ? batchPath(batchId) : batchImagePath(batchId, imageId(batchId, index));
  Object.assign(one, await insist(world, keyOf(account, batch), path));
};

const keyOf = ({ keys }: Account, { keyId }: BatchRows): string =>
  (keyId === keys.live.id ? keys.live : keys.test).text;

const look = async (world: World, key: string, batchId: string): Promise<void> => {
  const headers = { authorization: `Bearer ${key}` };
  await world.door.send(newActor('owner'), {
    method: 'GET',
    path: statusPath(batchId),
    headers,
  });
};

const eraseAll = async (world: World, one: Erased): Promise<void> => {
  Object.assign(one, await insist(world, one.key, paths.accountData));
};

const finding = (what: string): Finding => ({ law: 'erased', what });

/** Clocks differ by up to 10 s. */
const SKEW_MS = 10_000;
const namesIn = ({ images }: BatchRows, index: number | null): string[] =>
  images
    .filter((image) => index === null || image.index === index)
    .map(({ originalName }) => originalName)
    .filter((name) => name !== '');
const knowsOne = (text: string, names: readonly string[]): boolean => names.some((name) => text.includes(name));

/** Files, names, answers; and of a whole batch the lines of the log up to then: later ones tell of later requests. */
const leftOf = (
  world: World,
  { batch, index, heardAtMs }: Pick<Deleted, 'batch' | 'index' | 'heardAtMs'>,
): Finding[] => {
  const { batchId, accountId } = batch;
  world.tally('law erased');
  const place = index === null ? `${batchId}/` : `${batchId}/${String(index).padStart(4, '0')}`;
  const files = [...world.bucket.objects.keys()].filter((key) => key.includes(place));
  const names = namesIn(batch, index);
  // Sent again, a request may have made another batch of the same files, whose answer stays: so only rows of this one.
  const history = textsOf(world, 'HISTORY', accountId).filter((row) => row.includes(batchId));
  const lines = logOf(world, accountId).filter(
    (line) => line.atMs < heardAtMs - SKEW_MS && (line.batchId === batchId || line.path.includes(batchId)),
  );
  return [
    ...files.map((key) => finding(`${key} is still there`)),
    ...(textsOf(world, 'SAGA', batchId).some((row) => knowsOne(row, names))
      ? [finding(`${batchId} still knows the name of a deleted file`)]
      : []),
    ...(history.some((row) => knowsOne(row, names))
      ? [finding(`the history of ${accountId} still knows a deleted file of ${batchId}`)]
      : []),
    ...(index === null && lines.length > 0 ? [finding(`the log still has ${lines.length} lines of ${batchId}`)] : []),
  ];
};

const leftOfAccount = (world: World, { accountId, heardAtMs }: Erased, { batches }: Rows): Finding[] => {
  world.tally('law erased');
  const own = batches.filter((batch) => batch.accountId === accountId && batch.hold !== 'refused');
  const names = own.flatMap((batch) => namesIn(batch, null));
  const history = textsOf(world, 'HISTORY', accountId);
  // A line of the hour before may have been on its way when the log was emptied.
  const lines = logOf(world, accountId).filter(({ atMs }) => atMs < heardAtMs - HOUR);
  return [
    ...own.flatMap((batch) => leftOf(world, { batch, index: null, heardAtMs })),
    ...(history.some((row) => knowsOne(row, names)) ? [finding(`${accountId} still knows a file of its own`)] : []),
    ...(lines.length > 0 ? [finding(`the log of ${accountId} still has ${lines.length} lines`)] : []),
    ...(isErased(world, accountId) ? [] : [finding(`the deletion of all of ${accountId} is not done`)]),
  ];
};

const totalsOf = ({ granted, available, held, spent }: AccountRows): string =>
  JSON.stringify({ granted, available, held, spent });

export const moneyMoved = (world: World, before: Rows): Finding[] => {
  const after = readRows(world);
  return before.accounts.flatMap((account) => {
    world.tally('law erased');
    const now = after.accounts.find(({ accountId }) => accountId === account.accountId);
    const isSame = now !== undefined && totalsOf(now) === totalsOf(account);
    return isSame
      ? []
      : [finding(`${account.accountId} had ${totalsOf(account)} before what was deleted, now ${now && totalsOf(now)}`)];
  });
};
