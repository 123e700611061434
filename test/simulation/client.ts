/**
 * A caller: asks, and asks again when nothing was heard or it is invited to; with its Idempotency-Key until it has an
 * answer, without one a few times at most. Then polls what it was told of.
 */
import { type Account, type Book, isDefinite, namedBatch, type Wish } from './auditor/book.ts';
import { imageBytes } from './outside/strangers.ts';
import { type Actor, newActor, runAs } from './platform/scheduler.ts';
import type { Body, Heard, WireAnswer, WireRequest } from './wire.ts';
import type { World } from './world.ts';

const HERO = '/api/v1/service-hero';
const KEYED_TRIES_MAX = 10;
const KEYLESS_TRIES_MAX = 2;
const POLL_MS_MAX = 20 * 60_000;
const POLLS_MAX = 40;

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export type Client = { readonly wish: Wish; readonly actor: Actor };

export const startClient = (world: World, book: Book, wish: Wish): Client => {
  const actor = newActor(`client of ${wish.id}`);
  const client = { wish, actor };
  runAs(world.scheduler, actor, () => void ask(world, book, client).catch(world.broken));
  return client;
};

const ask = async (world: World, book: Book, client: Client): Promise<void> => {
  const { wish } = client;
  const triesMax = wish.idempotencyKey === undefined ? KEYLESS_TRIES_MAX : KEYED_TRIES_MAX;
  if (wish.contested && wish.idempotencyKey !== undefined) await contest(world, book, client);
  // Some send the same again while the first is still on its way, or long stuck.
  const doubles = wish.idempotencyKey !== undefined && world.random.chance(0.3) ? world.random.between(1, 3) : 0;
  for (let i = 0; i < doubles; i++) {
    const waitMs = world.random.pick([3_000, 60_000, 400_000]);
    world.after(
      world.random.between(0, waitMs),
      () => void once(world, book, client, 0).catch(world.broken),
      client.actor,
    );
  }
  for (let attempt = 1; attempt <= triesMax; attempt++) {
    if (isDefinite(await once(world, book, client, attempt))) return;
    await sleep(world.random.between(200, 30_000) * attempt);
  }
};

/** From less than a body may be silent to far longer. */
const STALL_MS = [6_000, 150_000] as const;
/** Around the end of the stalled body, so that others run when it ends. */
const NEAR_MS = 1_500;

/** Three tries of one key at once: one whose body stalls and breaks off, one shortly before that, one shortly after. */
const contest = async (world: World, book: Book, client: Client): Promise<void> => {
  const stallMs = world.random.between(...STALL_MS);
  const send = (ms: number, breaksAfterMs?: number): void =>
    void world.after(ms, () => void once(world, book, client, 0, breaksAfterMs).catch(world.broken), client.actor);
  send(0, stallMs);
  send(stallMs - world.random.between(0, NEAR_MS));
  send(stallMs + world.random.between(0, NEAR_MS));
  await sleep(stallMs + world.random.between(0, 10 * NEAR_MS));
};

/** One request, noted, and what it names followed. */
const once = async (
  world: World,
  book: Book,
  { wish, actor }: Client,
  attempt: number,
  breaksAfterMs?: number,
): Promise<Heard> => {
  const keyed = wish.idempotencyKey !== undefined;
  const changed = keyed && wish.changes && world.random.chance(0.4);
  const tag = keyed ? `${wish.id}${changed ? 'b' : 'a'}` : `${wish.id}t${attempt}`;
  const request = requestOf(wish, tag, changed ? wish.images + 1 : wish.images);
  const body = request.body && { ...request.body, ...(breaksAfterMs === undefined ? {} : { breaksAfterMs }) };
  const heard = await world.door.send(actor, body ? { ...request, body } : request);
  book.tried({ wish, tag, heard });
  world.tally(heard ? `answer ${heard.status} ${heard.body['code'] ?? ''}`.trim() : 'no answer');
  const batchId = namedBatch(heard);
  if (batchId !== undefined && !book.statuses.has(batchId)) {
    book.statuses.set(batchId, []);
    runAs(world.scheduler, actor, () => void follow(world, book, { wish, actor }, batchId).catch(world.broken));
  }
  return heard;
};

/** Tries that are still without an answer when all is well again. */
export const askAtLast = async (world: World, book: Book, client: Client): Promise<void> => {
  if (client.wish.idempotencyKey === undefined) return;
  for (let attempt = 0; attempt < KEYED_TRIES_MAX; attempt++) {
    const last = book.tries.filter(({ wish }) => wish === client.wish).at(-1)?.heard;
    if (isDefinite(last)) return;
    await once(world, book, client, attempt);
    await sleep(60_000);
  }
};

export const poll = async (world: World, book: Book, { wish, actor }: Client, batchId: string): Promise<Heard> => {
  const wait = world.random.pick(['', '', '?wait=5', '?wait=25']);
  const heard = await world.door.send(actor, {
    method: 'GET',
    path: `${HERO}/status/${batchId}${wait}`,
    headers: authorization(wish),
  });
  if (heard && (heard.status === 200 || heard.body['retryable'] !== true)) book.polled(batchId, heard);
  return heard;
};

type Linked = {
  readonly clean_download_url?: string;
  readonly outputs?: readonly { readonly output_url?: string }[];
};

/** Follows the links of one completed image of a status. */
export const download = async (world: World, book: Book, { actor, wish }: Client, heard: Heard): Promise<void> => {
  const images = (heard?.body['images'] ?? []) as readonly Linked[];
  const image = images.find(({ clean_download_url }) => clean_download_url);
  if (heard?.status !== 200 || !image) return;
  const [, ...others] = image.outputs ?? [];
  for (const url of [image.clean_download_url, ...others.map(({ output_url }) => output_url)])
    book.downloads.push({
      account: wish.account,
      url: url ?? '',
      heard: url
        ? await world.door.send(actor, { method: 'GET', path: new URL(url).pathname, headers: {} })
        : undefined,
    });
};

export const askBalance = (world: World, book: Book, account: Account): void => {
  const actor = newActor('owner');
  const ask = async (): Promise<void> => {
    const headers = { authorization: `Bearer ${account.keys.live.text}` };
    const heard = await world.door.send(actor, { method: 'GET', path: '/api/v1/account', headers });
    if (heard) book.balances.set(account, heard);
  };
  runAs(world.scheduler, actor, () => void ask().catch(world.broken));
};

export const follow = async (world: World, book: Book, client: Client, batchId: string): Promise<void> => {
  for (let [pollMs, polls] = [1_000, 0]; polls < POLLS_MAX; polls++, pollMs = Math.min(pollMs * 1.7, POLL_MS_MAX)) {
    const heard = await poll(world, book, client, batchId);
    if (heard && isOver(heard)) return;
    await sleep(pollMs * (0.5 + world.random.unit()));
  }
};
const isOver = ({ status, body }: WireAnswer): boolean =>
  status === 401 || status === 404 || Boolean(body['completed_at']);

const authorization = ({ account, mode }: Wish): Record<string, string> => ({
  authorization: `Bearer ${account.keys[mode].text}`,
});

const requestOf = (wish: Wish, tag: string, images: number): WireRequest => ({
  method: 'POST',
  path: HERO,
  headers: {
    ...authorization(wish),
    ...(wish.idempotencyKey === undefined ? {} : { 'idempotency-key': wish.idempotencyKey }),
    ...(wish.respondAsync ? { prefer: 'respond-async' } : {}),
  },
  body: wish.style === 'batch' ? urls(wish, tag, images) : files(wish, tag, images),
});

const text = new TextEncoder();

const urls = ({ webhookUrl, marketplaces }: Wish, tag: string, images: number): Body => {
  const body = {
    ...(marketplaces.length > 0 ? { options: { marketplaces } } : {}),
    images: Array.from({ length: images }, (_, i) => ({ input_url: `https://a.shop-images.com/${tag}-${i}.jpg` })),
    ...(webhookUrl === undefined ? {} : { webhook_url: webhookUrl }),
  };
  return { contentType: 'application/json', bytes: text.encode(JSON.stringify(body)) };
};

/** Every ninth file is empty, so that some places of an upload are never images. */
const files = ({ marketplaces }: Wish, tag: string, images: number): Body => {
  const boundary = `b${tag}`;
  const parts = Array.from({ length: images }, (_, i) => [
    text.encode(
      `--${boundary}\r\nContent-Disposition: form-data; name="files"; filename="${tag}-${i}.jpg"\r\nContent-Type: image/jpeg\r\n\r\n`,
    ),
    i % 9 === 8 ? new Uint8Array() : imageBytes(48, i),
    text.encode('\r\n'),
  ]).flat();
  if (marketplaces.length > 0)
    parts.push(
      text.encode(
        `--${boundary}\r\nContent-Disposition: form-data; name="marketplaces"\r\n\r\n${marketplaces.join(',')}\r\n`,
      ),
    );
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    bytes: new Uint8Array(Buffer.concat([...parts, text.encode(`--${boundary}--\r\n`)])),
  };
};
