/** Free checks, in some seeds: each asked for once or twice, with a file or a URL, by a live or a test key. */
import type { Account, Book } from './auditor/book.ts';
import { sleep } from './client.ts';
import { hashOf } from './outside/origin.ts';
import { imageBytes } from './outside/strangers.ts';
import { newActor, runAs } from './platform/scheduler.ts';
import type { Body } from './wire.ts';
import type { World } from './world.ts';

const CHECK = '/api/v1/check';
const SEEDS_PER_SEED_WITH_CHECKS = 8;
const MINUTE = 60_000;
const text = new TextEncoder();

/** By the seed alone, so that seeds without checks are what they were before there were any. */
export const checksOf = (seed: number): number => {
  const hash = hashOf(`checks ${seed}`);
  return hash % SEEDS_PER_SEED_WITH_CHECKS === 0 ? 1 + ((hash >>> 8) % 6) : 0;
};

export const scheduleChecks = (world: World, book: Book, checks: number, troubleMs: number): void => {
  for (let i = 0; i < checks; i++)
    world.after(world.random.between(0, troubleMs), () => {
      const account = world.random.pick(book.accounts);
      runAs(
        world.scheduler,
        newActor(`client of check ${i}`),
        () => void ask(world, book, account, i).catch(world.broken),
      );
    });
};

const ask = async (world: World, book: Book, account: Account, place: number): Promise<void> => {
  const request = {
    method: 'POST',
    path: CHECK,
    headers: { authorization: `Bearer ${account.keys[place % 3 === 0 ? 'test' : 'live'].text}` },
    body: place % 2 === 0 ? fileOf(place) : urlOf(place),
  };
  const actor = newActor(`client of check ${place}`);
  for (let attempt = 0; attempt < 2; attempt++) {
    const heard = await world.door.send(actor, request);
    book.checks.push(heard);
    world.tally(heard ? `check ${heard.status} ${heard.body['code'] ?? ''}`.trim() : 'check without an answer');
    if (heard && heard.body['retryable'] !== true) return;
    await sleep(world.random.between(1_000, MINUTE));
  }
};

const urlOf = (place: number): Body => ({
  contentType: 'application/json',
  bytes: text.encode(JSON.stringify({ input_url: `https://a.shop-images.com/check-${place}.jpg` })),
});
const fileOf = (place: number): Body => ({
  contentType: 'multipart/form-data; boundary=check',
  bytes: new Uint8Array(
    Buffer.concat([
      text.encode(`--check\r\nContent-Disposition: form-data; name="files"; filename="check-${place}.jpg"\r\n\r\n`),
      imageBytes(48, place),
      text.encode('\r\n--check--\r\n'),
    ]),
  ),
});

/** The scheduled run, which removes what a check left whose Worker died. */
export const sweepLater = (world: World): void => {
  world.isolates.invoke(
    'sweep',
    (handlers) => handlers.sweep(),
    (end) => {
      if (end.kind !== 'returned') world.after(MINUTE, () => sweepLater(world));
    },
  );
};
