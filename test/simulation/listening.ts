/**
 * In some seeds somebody listens to the ends of an account's batches while there is trouble, as `packshot webhooks
 * listen` does, and once more when all is over.
 */
import type { Account, Book, Listened } from './auditor/book.ts';
import { sleep } from './client.ts';
import { hashOf } from './outside/origin.ts';
import { newActor, runAs } from './platform/scheduler.ts';
import type { Heard } from './wire.ts';
import type { World } from './world.ts';

const EVENTS = '/api/v1/webhook-events';
const SEEDS_PER_SEED_WITH_A_LISTENER = 8;
const MINUTE = 60_000;
const PAGES_MAX = 20;
const actor = newActor('listener');

/** By the seed alone, so that seeds without a listener are what they were before there were any. */
export const hasListener = (seed: number): boolean => hashOf(`listener ${seed}`) % SEEDS_PER_SEED_WITH_A_LISTENER === 0;

export const startListener = (world: World, book: Book, untilMs: number): void => {
  const account = world.random.pick(book.accounts);
  const listened: Listened = { account, sinceMs: null, next: undefined, hasGap: false, events: [] };
  book.listeners.push(listened);
  const listen = async (): Promise<void> => {
    while (world.now() < untilMs && !account.revoked) {
      await askOnce(world, listened, world.random.pick([0, 5, 25]));
      await sleep(world.random.between(100, 2 * MINUTE));
    }
  };
  runAs(world.scheduler, actor, () => void listen().catch(world.broken));
};

/** What came since, when nothing comes any more. */
export const listenAtLast = (world: World, book: Book): void => {
  const drain = async (listened: Listened): Promise<void> => {
    for (let page = 0; page < PAGES_MAX; page++) {
      const before = listened.events.length;
      await askOnce(world, listened, 0);
      if (listened.events.length === before) return;
    }
  };
  for (const listened of book.listeners) runAs(world.scheduler, actor, () => void drain(listened).catch(world.broken));
};

type Event = { readonly headers: Readonly<Record<string, string>>; readonly body: string };

const askOnce = async (world: World, listened: Listened, waitSeconds: number): Promise<void> => {
  const heard: Heard = await world.door.send(actor, {
    method: 'GET',
    path: `${EVENTS}?wait=${waitSeconds}${listened.next === undefined ? '' : `&after=${listened.next}`}`,
    headers: { authorization: `Bearer ${keyOf(listened.account)}` },
  });
  world.tally(heard ? `listening ${heard.status} ${heard.body['code'] ?? ''}`.trim() : 'listening without an answer');
  if (heard?.status !== 200) return;
  // What ends from now on is noted: whoever is answered is known to listen.
  listened.sinceMs ??= world.now();
  listened.next = String(heard.body['next']);
  listened.hasGap ||= heard.body['missing'] === true;
  for (const { body } of heard.body['events'] as readonly Event[]) {
    const { batch_id: batchId, status } = JSON.parse(body) as { batch_id: string; status: string };
    listened.events.push({ batchId, status });
  }
};
const keyOf = ({ keys }: Account): string => keys.live.text;
