/** Clients of every kind, each one request after the other until they are told to stop. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { UploadResponse } from '../../shared/api.ts';
import { paths, statusPath } from '../../shared/paths.ts';
import { hostileCorpus } from '../hostile/corpus.ts';
import type { PhotoServer } from '../support/photo-server.ts';
import { type Random, seeded } from '../support/random.ts';
import { renderScene } from '../support/scenes.ts';
import type { Final, Send } from './client.ts';
import type { Customer } from './customer.ts';
import { add, type Told, tellUpload } from './told.ts';

export type Load = {
  readonly customer: Customer;
  readonly send: Send;
  readonly shop: PhotoServer;
  readonly seed: number;
  readonly told: Told;
};

const OPEN_BATCHES_MAX = 6;
const BATCH_IMAGES = [2, 6] as const;
const UPLOAD_FILES = [1, 3] as const;
const PAUSE_MS = [200, 2_000] as const;
/** An account opens ten checkouts an hour. */
const BUY_EVERY_CALLS = 60;
const BUYS_MAX = 5;
/** Small, so that many fit on the disk: what a result costs is measured elsewhere. */
const OPTIONS = { canvas: 300 } as const;

type Client = (load: Load, random: Random, turn: number) => Promise<void>;

const form = (files: readonly (readonly [string, Uint8Array])[]): FormData => {
  const body = new FormData();
  for (const [name, value] of Object.entries(OPTIONS)) body.append(name, String(value));
  for (const [name, bytes] of files) body.append('files', new File([new Uint8Array(bytes)], name));
  return body;
};

/**
 * A request whose Idempotency-Key is its own. Where the answer says that a batch may have been opened, its status is what
 * counts, and where there is none, the request is sent again.
 */
const create = async (
  { send, told }: Load,
  key: string,
  body: () => BodyInit,
  headers: Record<string, string> = {},
): Promise<Final> => {
  for (;;) {
    const answer = await send(paths.hero, {
      method: 'POST',
      headers: { 'idempotency-key': key, ...headers },
      body: body(),
    });
    if (answer.body['code'] !== 'outcome_unknown') return answer;
    const status = await send(String(answer.body['status_url']), { method: 'GET' });
    if (status.status !== 404) {
      told.unknown.add(String(answer.body['batch_id']));
      return status;
    }
  }
};

const refuse = (told: Told, images: number, { body, status }: Final): void =>
  add(told.refused, String(body['code'] ?? status), images);

const uploader =
  (
    name: string,
    filesOf: (random: Random, turn: number) => Promise<readonly (readonly [string, Uint8Array])[]>,
  ): Client =>
  async (load, random, turn) => {
    const files = await filesOf(random, turn);
    load.told.asked += files.length;
    const answer = await create(load, `${name} ${load.seed} ${turn}`, () => form(files));
    if (answer.status === 200 && 'results' in answer.body)
      tellUpload(load.told, answer.body as unknown as UploadResponse);
    else if (answer.status !== 200) refuse(load.told, files.length, answer);
  };

const batcher: Client = async (load, random, turn) => {
  const { told, shop, send } = load;
  const count = random.integer(...BATCH_IMAGES);
  const hasHook = random.next() < 0.7;
  const images = Array.from({ length: count }, () => ({ input_url: `${shop.url}/photo/${random.integer(0, 99)}.jpg` }));
  const hook = hasHook ? { webhook_url: `${shop.url}/hook/chaos` } : {};
  const body = JSON.stringify({ images, options: OPTIONS, ...hook });
  told.asked += count;
  const answer = await create(load, `batch ${load.seed} ${turn}`, () => body, { 'content-type': 'application/json' });
  if (answer.status >= 300) return refuse(told, count, answer);
  const batchId = String(answer.body['batch_id']);
  told.batches.set(batchId, count);
  if (hasHook) told.hooked.add(batchId);
  // Some of the last ones may be running while the next begins.
  const last = [...told.batches.keys()].slice(-OPEN_BATCHES_MAX);
  while (last.length === OPEN_BATCHES_MAX) {
    const status = await send(`${statusPath(last[0] ?? '')}?wait=10`, { method: 'GET' });
    if (status.status !== 200)
      told.faults.push(`status of ${last[0]}: ${status.status} ${JSON.stringify(status.body)}`);
    if (status.status !== 200 || status.body['completed_at'] !== null) break;
  }
};

const checker =
  (photo: Uint8Array): Client =>
  async ({ send, told }) => {
    const body = new FormData();
    body.append('files', new File([new Uint8Array(photo)], 'check.jpg'));
    const { status, body: answer } = await send(paths.check, { method: 'POST', body });
    if (status !== 200) told.faults.push(`a check of a good photo: ${status} ${JSON.stringify(answer)}`);
  };

const poller: Client = async ({ send, told }, random) => {
  const account = await send(paths.account, { method: 'GET' });
  if (account.status !== 200) told.faults.push(`the account: ${account.status} ${JSON.stringify(account.body)}`);
  const batches = [...told.batches.keys()];
  if (batches.length === 0) return;
  const status = await send(statusPath(random.pick(batches)), { method: 'GET' });
  if (status.status !== 200) told.faults.push(`a status: ${status.status} ${JSON.stringify(status.body)}`);
};

const PORTAL_READS = ['/session', '/usage', '/logs', '/ledger', '/keys', '/payments', '/audit'] as const;
const visitor: Client = async ({ customer, told }, random, turn) => {
  if (turn % BUY_EVERY_CALLS === BUY_EVERY_CALLS - 1 && turn < BUYS_MAX * BUY_EVERY_CALLS) return customer.buy();
  const path = random.pick(PORTAL_READS);
  const { status, body } = await customer.portal('GET', path);
  if (status !== 200) told.faults.push(`the portal's ${path}: ${status} ${JSON.stringify(body)}`);
};

const clientsOf = async (seed: number): Promise<Readonly<Record<string, Client>>> => {
  const photo = await renderScene('mug', { width: 480 });
  const hostile = await hostileCorpus(seed);
  const good = (random: Random) =>
    Promise.resolve(
      Array.from({ length: random.integer(...UPLOAD_FILES) }, (_, i) => [`good-${i}.jpg`, photo] as const),
    );
  return {
    uploads: uploader('upload', good),
    'hostile uploads': uploader('hostile', async (_, turn) => [
      ['hostile.jpg', (await hostile(turn)).bytes],
      ['good.jpg', photo],
    ]),
    batches: batcher,
    checks: checker(photo),
    polls: poller,
    'portal calls': visitor,
  };
};

/** Resolves once every client has its last answer after `over`; each that gave up is among the faults. */
export const runLoad = async (load: Load, over: AbortSignal): Promise<void> => {
  const clients = Object.entries(await clientsOf(load.seed));
  await Promise.all(
    clients.map(async ([name, client], at) => {
      const random = seeded(load.seed * 1_009 + at);
      for (let turn = 0; !over.aborted; turn++) {
        add(load.told.calls, name);
        await client(load, random, turn).catch((error: unknown) => load.told.faults.push(`${name}: ${error}`));
        await sleep(random.integer(...PAUSE_MS), undefined, { signal: over }).catch(() => undefined);
      }
    }),
  );
};
