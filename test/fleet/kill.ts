/**
 * `npm run test:kill [-- --rounds 20] [--seed 1]`: the system as `npm start` starts it, with the real model. In each round
 * a client sends an upload and a batch, both with an Idempotency-Key, and at a random moment edge, origin or both are
 * killed with -9 and started again. In the end every image that was asked for has its one outcome and its file, exactly
 * those are charged, nothing is held, and `npm run reconcile` finds no disagreement.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { BatchStatusResponse, UploadResponse } from '../../shared/api.ts';
import { readLedger } from '../support/ledger.ts';
import { type TemporarySystem, temporarySystem } from '../support/local-system.ts';
import { type PhotoServer, startPhotoServer } from '../support/photo-server.ts';
import { type Random, seeded } from '../support/random.ts';
import { renderScene } from '../support/scenes.ts';

const FILES_PER_UPLOAD = 2;
const IMAGES_PER_BATCH = 3;
/** From the requests to the kill: into their bodies, the holds, the model's runs, the settlement. */
const KILL_AFTER_MS_MAX = 8_000;
const PAUSE_MS = 1_000;
/** A client that has no answer sends the same again for so long. */
const ANSWER_MS_MAX = 10 * 60_000;
/** What the queue lost is handed over again after two minutes, a few times if that meets the next kill. */
const END_MS_MAX = 20 * 60_000;
const RECONCILE_MS_MAX = 3 * 60_000;
const VICTIMS = ['edge', 'origin', 'both'] as const;

const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** Detail of an image that node after node was killed with. */
const NODES_DIED = /^\d+ nodes died while/;

type Images = { readonly style: 'upload' | 'batch'; readonly batchId: string; readonly images: number };
type Counts = { retries: number; answers: Images[] };

/** One request until its answer is final; the same key and body every time. */
const untilAnswered = async (send: () => Promise<Response>, counts: Counts): Promise<Record<string, unknown>> => {
  const giveUpAt = Date.now() + ANSWER_MS_MAX;
  let last: unknown = 'no answer';
  while (Date.now() < giveUpAt) {
    try {
      const answer = await send();
      const body = (await answer.json()) as Record<string, unknown>;
      if (answer.ok) return body;
      if (body['retryable'] !== true) throw new Refused(`${answer.status} ${JSON.stringify(body)}`);
      last = body['code'];
    } catch (error) {
      if (error instanceof Refused) throw error;
      last = error;
    }
    counts.retries++;
    await sleep(PAUSE_MS);
  }
  throw new Error(`no final answer within ${ANSWER_MS_MAX} ms: ${last}`);
};
class Refused extends Error {}

const hero = (system: TemporarySystem, key: string, body: BodyInit, type?: string): Promise<Response> =>
  fetch(`${system.baseUrl}/api/v1/service-hero`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${system.apiKey}`,
      'idempotency-key': key,
      ...(type ? { 'content-type': type } : {}),
    },
    body,
    signal: AbortSignal.timeout(180_000),
  });

const sendUpload = async (system: TemporarySystem, round: number, photo: Uint8Array, counts: Counts): Promise<void> => {
  const body = (): FormData => {
    const form = new FormData();
    for (let i = 0; i < FILES_PER_UPLOAD; i++)
      form.append('files', new File([new Uint8Array(photo)], `upload-${round}-${i}.jpg`, { type: 'image/jpeg' }));
    return form;
  };
  const answer = await untilAnswered(() => hero(system, `upload ${round}`, body()), counts);
  counts.answers.push({
    style: 'upload',
    batchId: (answer as unknown as UploadResponse).batch_id,
    images: FILES_PER_UPLOAD,
  });
};

const sendBatch = async (system: TemporarySystem, round: number, shop: PhotoServer, counts: Counts): Promise<void> => {
  const images = Array.from({ length: IMAGES_PER_BATCH }, (_, i) => ({
    input_url: `${shop.url}/photo/${round * IMAGES_PER_BATCH + i}.jpg`,
  }));
  const body = JSON.stringify({ images });
  const answer = await untilAnswered(() => hero(system, `batch ${round}`, body, 'application/json'), counts);
  counts.answers.push({ style: 'batch', batchId: String(answer['batch_id']), images: IMAGES_PER_BATCH });
};

const kill = async (system: TemporarySystem, victim: (typeof VICTIMS)[number]): Promise<void> => {
  const tiers = [
    ...(victim === 'origin' ? [] : [{ child: system.edge(), restart: system.restartEdge }]),
    ...(victim === 'edge' ? [] : [{ child: system.origin(), restart: system.restartOrigin }]),
  ];
  await Promise.all(tiers.map(({ child }) => child.kill()));
  // The embedded database and wrangler's store are each opened by one tier: they may start together.
  await Promise.all(tiers.map(({ restart }) => restart()));
};

const statusOf = async (system: TemporarySystem, batchId: string): Promise<BatchStatusResponse> => {
  const answer = await fetch(`${system.baseUrl}/api/v1/service-hero/status/${batchId}`, {
    headers: { authorization: `Bearer ${system.apiKey}` },
  });
  if (!answer.ok) throw new Error(`status of ${batchId}: ${answer.status}`);
  return (await answer.json()) as BatchStatusResponse;
};

const untilOver = async (system: TemporarySystem, batchId: string, giveUpAt: number): Promise<BatchStatusResponse> => {
  for (;;) {
    const status = await statusOf(system, batchId);
    if (status.completed_at !== null) return status;
    if (Date.now() > giveUpAt) throw new Error(`${batchId} is not over: ${JSON.stringify(status.progress)}`);
    await sleep(2 * PAUSE_MS);
  }
};

/**
 * What is wrong with one batch at the end, and what of it may be charged. An upload has its answer to give: an image that
 * it has told as failed was given back. A batch has hours: an image of it fails only where five nodes died on it, which
 * is documented.
 */
const judgeBatch = async (
  system: TemporarySystem,
  { style, batchId, images }: Images,
  giveUpAt: number,
): Promise<{ readonly faults: readonly string[]; readonly completed: number }> => {
  const status = await untilOver(system, batchId, giveUpAt);
  const faults: string[] = [];
  if (status.images.length !== images) faults.push(`${batchId} has ${status.images.length} images of ${images}`);
  let completed = 0;
  for (const image of status.images) {
    if (image.status !== 'completed') {
      const isTold = image.status === 'failed' && (style === 'upload' || NODES_DIED.test(image.error.detail));
      if (!isTold) faults.push(`${image.image_id} ended as ${image.status}: ${JSON.stringify(image)}`);
      continue;
    }
    completed++;
    const file = await fetch(image.clean_download_url ?? '');
    const bytes = (await file.arrayBuffer()).byteLength;
    if (!file.ok || bytes === 0) faults.push(`${image.image_id} is completed and its link answers ${file.status}`);
  }
  return { faults, completed };
};

const judgeMoney = async (system: TemporarySystem, completed: number): Promise<string[]> => {
  const { totals } = await readLedger(system, system.accountId);
  const { granted, available, held, spent } = totals;
  const faults: string[] = [];
  if (granted !== available + held + spent) faults.push(`the ledger does not balance: ${JSON.stringify(totals)}`);
  if (held !== 0) faults.push(`${held} credits are still held`);
  if (spent !== completed) faults.push(`${spent} credits are spent on ${completed} images`);
  return faults;
};

const reconcile = (dataDir: string): Promise<{ readonly code: number; readonly text: string }> =>
  new Promise((resolve) => {
    const script = join(import.meta.dirname, '..', '..', 'origin', 'reconcile.ts');
    const args = [script, '--grace-seconds', '0'];
    execFile(process.execPath, args, { env: { ...process.env, DATA_DIR: dataDir } }, (error, out, errors) =>
      resolve({ code: error ? Number(error.code ?? 2) : 0, text: `${out}${errors}`.trim() }),
    );
  });

/** The ledger's export may still be on its way: its alarm waits after an origin that was away. */
const untilReconciled = async (system: TemporarySystem): Promise<string> => {
  const giveUpAt = Date.now() + RECONCILE_MS_MAX;
  for (;;) {
    const { code, text } = await reconcile(system.settings.dataDir);
    if (code === 0) return text;
    if (Date.now() > giveUpAt) throw new Error(`reconcile: ${text}`);
    await sleep(5 * PAUSE_MS);
  }
};

const runRounds = async (
  system: TemporarySystem,
  shop: PhotoServer,
  random: Random,
  rounds: number,
  counts: Counts,
): Promise<Map<string, number>> => {
  const photo = await renderScene('mug', { width: 480 });
  const kills = new Map<string, number>();
  for (let round = 0; round < rounds; round++) {
    // All three in turn, so that a few rounds meet each; the moment is random.
    const victim = VICTIMS[round % VICTIMS.length] ?? 'both';
    const afterMs = random.integer(0, KILL_AFTER_MS_MAX);
    say(`round ${round + 1}: ${victim} killed after ${afterMs} ms`);
    const sent = Promise.all([sendUpload(system, round, photo, counts), sendBatch(system, round, shop, counts)]);
    sent.catch(() => undefined);
    await sleep(afterMs);
    await kill(system, victim);
    kills.set(victim, (kills.get(victim) ?? 0) + 1);
    await sent;
  }
  return kills;
};

const run = async (rounds: number, seed: number): Promise<string[]> => {
  const shop = await startPhotoServer();
  const images = rounds * (FILES_PER_UPLOAD + IMAGES_PER_BATCH);
  // Twice what is needed: something charged twice is not to look like an empty account.
  const system = await temporarySystem({ credits: 2 * images, env: { LOCAL_INPUT_HOSTS: shop.hostPort } });
  try {
    const begunMs = Date.now();
    const counts: Counts = { retries: 0, answers: [] };
    const kills = await runRounds(system, shop, seeded(seed), rounds, counts);
    const giveUpAt = Date.now() + END_MS_MAX;
    const faults: string[] = [];
    let completed = 0;
    for (const one of counts.answers) {
      const judged = await judgeBatch(system, one, giveUpAt);
      faults.push(...judged.faults);
      completed += judged.completed;
    }
    faults.push(...(await judgeMoney(system, completed)));
    const agreed = await untilReconciled(system);
    const killed = [...kills].map(([victim, times]) => `${victim} ${times}`).join(', ');
    say(
      `seed ${seed}: ${rounds} rounds in ${Math.round((Date.now() - begunMs) / 1_000)} s; killed: ${killed}; ${counts.answers.length} requests, sent again ${counts.retries} times; ${completed} of ${images} images completed and charged once, ${images - completed} told as failed and given back`,
    );
    say(`reconcile: ${agreed}`);
    return faults;
  } finally {
    await system.remove();
    await shop.close();
  }
};

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '20' }, seed: { type: 'string', default: '1' } },
});
const faults = await run(Number(values.rounds), Number(values.seed));
for (const fault of faults) say(`FAULT ${fault}`);
say(faults.length === 0 ? 'nothing was lost, nothing was charged twice' : `${faults.length} faults`);
process.exitCode = faults.length === 0 ? 0 : 1;
