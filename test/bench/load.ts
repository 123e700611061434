/**
 * `npm run bench -- load [--accounts 200] [--images 50] [--clients 64]`: many accounts send a batch each at the same time
 * to the edge in real workerd (Durable Objects, R2 and the queue of the local simulator). No image may be lost; printed
 * are the times of `202` and of the status, and how evenly the accounts are served. What is not under test, the node
 * with its model, is a stand-in in this process that speaks the node's protocol: it stores both files of a job by their
 * presigned URLs and answers.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pMap from 'p-map';
import { createAccount, type LocalAccount } from '../../local/system.ts';
import type { BatchCreated, BatchStatusResponse } from '../../shared/api.ts';
import { publicKeyOf } from '../../shared/service-key.ts';
import { startPhotoServer } from '../support/photo-server.ts';
import { type QuickNode, startQuickNode } from '../support/quick-node.ts';
import { startEdgeAlone } from './edge-alone.ts';
import { median, percentile } from './statistics.ts';

const PHOTO_BYTES = 4_096;
/** Between two questions of one client. */
const POLL_MS = 5_000;
const END_MS_MAX = 45 * 60_000;
const TRIES_MAX = 20;

const say = (text = ''): void => void process.stdout.write(`${text}\n`);

/** As little of a JPEG as its recognition needs. */
const jpegOf = (bytes: number): Uint8Array<ArrayBuffer> => {
  const file = new Uint8Array(bytes).fill(7);
  file.set([0xff, 0xd8, 0xff, 0xe0]);
  return file;
};

type Sent = { readonly account: LocalAccount; readonly batchId: string; readonly acceptedAtMs: number };
type Times = { readonly accepted: number[]; readonly status: number[]; refusals: number };

/** Sends one account's batch; what is refused for a passing reason is sent again under its key, and counted. */
const send = async (base: string, account: LocalAccount, urls: readonly string[], times: Times): Promise<Sent> => {
  const body = JSON.stringify({ images: urls.map((input_url) => ({ input_url })) });
  const { authorization } = authorized(account);
  const headers = { authorization, 'content-type': 'application/json', 'idempotency-key': 'load' };
  for (let attempt = 1; ; attempt++) {
    const begun = performance.now();
    const answer = await fetch(`${base}/api/v1/service-hero`, { method: 'POST', headers, body });
    const text = await answer.text();
    if (answer.status === 202) {
      times.accepted.push(performance.now() - begun);
      return { account, batchId: (JSON.parse(text) as BatchCreated).batch_id, acceptedAtMs: performance.now() };
    }
    times.refusals++;
    if (attempt === TRIES_MAX) throw new Error(`a batch was refused: ${answer.status} ${text}`);
    await sleep(Number(answer.headers.get('retry-after') ?? 1) * 1_000);
  }
};

const authorized = ({ apiKey }: LocalAccount): { readonly authorization: string } => ({
  authorization: `Bearer ${apiKey}`,
});

type Ended = { readonly tookMs: number; readonly status: BatchStatusResponse };

/** Asks until the batch is over. The end is as the service dates it, so that the pause between questions adds nothing. */
const follow = async (base: string, { account, batchId, acceptedAtMs }: Sent, times: Times): Promise<Ended> => {
  for (const giveUpAt = Date.now() + END_MS_MAX; ; await sleep(POLL_MS * (0.5 + Math.random()))) {
    const begun = performance.now();
    const answer = await fetch(`${base}/api/v1/service-hero/status/${batchId}`, { headers: authorized(account) });
    const body = (await answer.json()) as BatchStatusResponse;
    if (answer.status !== 200) {
      times.refusals++;
      continue;
    }
    times.status.push(performance.now() - begun);
    const tookMs = Date.parse(body.completed_at ?? '') - Date.parse(body.created_at);
    if (body.completed_at !== null) return { tookMs, status: body };
    if (Date.now() > giveUpAt)
      throw new Error(
        `${batchId} is not over after ${performance.now() - acceptedAtMs} ms: ${JSON.stringify(body.progress)}`,
      );
  }
};

const ms = (value: number): string => `${value.toFixed(0)} ms`;
const line = (what: string, values: readonly number[]): string =>
  `${what.padEnd(8)} p50 ${ms(median(values))}, p99 ${ms(percentile(values, 0.99))}, at most ${ms(percentile(values, 1))} (${values.length} calls)`;

type Load = { readonly accounts: number; readonly images: number; readonly clients: number };

const run = async (base: string, accounts: readonly LocalAccount[], shop: string, { images, clients }: Load) => {
  const times: Times = { accepted: [], status: [], refusals: 0 };
  const urls = Array.from({ length: images }, (_, i) => `${shop}/photo/${i}.jpg`);
  const begun = performance.now();
  const sent = await pMap(accounts, (account) => send(base, account, urls, times), { concurrency: clients });
  const ended = await pMap(sent, (one) => follow(base, one, times), { concurrency: clients });
  return { times, ended, seconds: (performance.now() - begun) / 1_000 };
};

/** Prints the result; true where nothing was lost and nothing failed. */
const report = (
  { times, ended, seconds }: Awaited<ReturnType<typeof run>>,
  node: QuickNode,
  wanted: number,
): boolean => {
  const completed = ended.reduce((sum, { status }) => sum + status.progress.completed, 0);
  const charged = ended.reduce((sum, { status }) => sum + status.charged_images, 0);
  const took = ended.map(({ tookMs }) => tookMs / 1_000);
  const [fastest, slowest] = [percentile(took, 0), percentile(took, 1)];
  say('the node is a stand-in in the process of this benchmark: it stores two small files per job and runs no model');
  say(
    `${wanted} images: ${completed} completed, ${charged} charged, ${wanted - completed} lost or failed; ${(completed / seconds).toFixed(1)} images/s over ${seconds.toFixed(0)} s; ${node.calls()} calls of the node for ${node.jobs()} jobs`,
  );
  say(line('202', times.accepted));
  say(line('status', times.status));
  say(`refused for a passing reason and sent again: ${times.refusals}`);
  say(
    `batches: fastest ${fastest.toFixed(0)} s, median ${median(took).toFixed(0)} s, slowest ${slowest.toFixed(0)} s; slowest ÷ fastest account ${(slowest / fastest).toFixed(2)}`,
  );
  return completed === wanted && charged === wanted;
};

export const main = async (args: string[]): Promise<void> => {
  const number = (fallback: number) => ({ type: 'string', default: String(fallback) }) as const;
  const { values } = parseArgs({ args, options: { accounts: number(200), images: number(50), clients: number(64) } });
  const wanted: Load = {
    accounts: Number(values.accounts),
    images: Number(values.images),
    clients: Number(values.clients),
  };
  const shop = await startPhotoServer([jpegOf(PHOTO_BYTES)]);
  const { base, originPort, secrets, remove } = await startEdgeAlone({ LOCAL_INPUT_HOSTS: shop.hostPort });
  const node = await startQuickNode(originPort, publicKeyOf(secrets.serviceKey));
  try {
    const places = Array.from({ length: wanted.accounts });
    const accounts = await pMap(places, () => createAccount(base, secrets, wanted.images), { concurrency: 8 });
    say(`${wanted.accounts} accounts send a batch of ${wanted.images} images each, ${wanted.clients} clients at once`);
    const isWhole = report(await run(base, accounts, shop.url, wanted), node, wanted.accounts * wanted.images);
    if (!isWhole) process.exitCode = 1;
  } finally {
    await remove();
    await node.close();
    await shop.close();
  }
};
