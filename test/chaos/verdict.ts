/** What must hold once the system is at rest: by what clients were told, the ledger, the statuses and the files. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pMap from 'p-map';
import { unwrap } from '../../clients/typescript/src/webhooks.ts';
import type { BatchStatusResponse, StatusImage } from '../../shared/api.ts';
import { imageId } from '../../shared/ids.ts';
import { statusPath } from '../../shared/paths.ts';
import type { PhotoServer } from '../support/photo-server.ts';
import type { Send } from './client.ts';
import type { Customer } from './customer.ts';
import type { Books, Hold } from './ledger.ts';
import type { ChaosSystem } from './system.ts';
import { add, type Told } from './told.ts';

export type Judged = {
  readonly faults: string[];
  completed: number;
  readonly failed: Map<string, number>;
};

const AT_ONCE = 4;
const RECONCILE_MS_MAX = 3 * 60_000;
const RECONCILE_RUN_MS_MAX = 60_000;
const RECONCILE_EVERY_MS = 5_000;
const DOWNLOAD_MS_MAX = 30_000;

/** Undefined where the file is the one that its image tells of. */
const downloadFault = async (image: Extract<StatusImage, { status: 'completed' }>): Promise<string | undefined> => {
  const answer = await fetch(image.clean_download_url ?? '', { signal: AbortSignal.timeout(DOWNLOAD_MS_MAX) });
  const bytes = new Uint8Array(await answer.arrayBuffer());
  if (!answer.ok) return `${image.image_id} is charged and its link answers ${answer.status}`;
  const isTold = createHash('sha256').update(bytes).digest('hex') === image.sha256;
  return isTold ? undefined : `${image.image_id}: the file is not the one that was told`;
};

/** Each image of a hold is charged and there, or given back and failed. */
const judgeHold = async (hold: Hold, send: Send, judged: Judged): Promise<void> => {
  const { status, body } = await send(statusPath(hold.batchId), { method: 'GET' });
  if (status !== 200) return void judged.faults.push(`${hold.batchId}: its status answers ${status}`);
  const { images, completed_at } = body as unknown as BatchStatusResponse;
  if (completed_at === null) judged.faults.push(`${hold.batchId} is not over`);
  if (images.length !== hold.resolved.length)
    judged.faults.push(`${hold.batchId} has ${images.length} images, and ${hold.resolved.length} were held`);
  for (const [index, image] of images.entries()) {
    const letter = hold.resolved[index];
    if (image.status === 'completed' && letter === 'p') {
      judged.completed++;
      const fault = await downloadFault(image);
      if (fault !== undefined) judged.faults.push(fault);
    } else if (image.status === 'failed' && letter === 'v') add(judged.failed, image.error.code);
    else judged.faults.push(`${image.image_id} is ${image.status}, and its credit ${letter}`);
  }
};

/** What was told as failed is not charged, what was told as completed is; nothing is charged that nobody was told of. */
export const judgeTold = (told: Told, holds: readonly Hold[], judged: Pick<Judged, 'faults'>): void => {
  const credits = new Map(
    holds.flatMap(({ batchId, resolved }) => [...resolved].map((letter, i) => [imageId(batchId, i), letter] as const)),
  );
  for (const { imageId: id, code } of told.images) {
    const letter = credits.get(id);
    // A file that is no image is refused before any credit is held for it.
    const isRight = code === 'completed' ? letter === 'p' : letter === 'v' || letter === undefined;
    if (!isRight) judged.faults.push(`${id} was told as ${code}, and its credit is ${letter ?? 'unknown'}`);
  }
  const named = new Set([...told.images.map((image) => image.imageId.slice(4, -5)), ...ulids(told.batches.keys())]);
  for (const unknown of ulids(told.unknown)) named.add(unknown);
  for (const { batchId, resolved } of holds)
    if (resolved.includes('p') && !named.has(batchId.slice(4)))
      judged.faults.push(`${batchId} is charged (${resolved}) and no answer named it`);
  for (const [batchId, images] of told.batches) {
    const held = holds.find((hold) => hold.batchId === batchId)?.resolved.length;
    if (held !== images) judged.faults.push(`${batchId} was accepted with ${images} images and holds ${held}`);
  }
};
const ulids = (batchIds: Iterable<string>): string[] => Array.from(batchIds, (id) => id.slice(4));

const judgeMoney = ({ totals, holds }: Books, customer: Customer, judged: Judged): void => {
  const { granted, available, held, spent } = totals;
  const posted = holds.reduce((sum, { resolved }) => sum + [...resolved].filter((letter) => letter === 'p').length, 0);
  if (granted !== available + held + spent)
    judged.faults.push(`the ledger does not balance: ${JSON.stringify(totals)}`);
  if (granted !== customer.bought())
    judged.faults.push(`${customer.bought()} credits were paid for, and ${granted} granted`);
  if (spent !== posted || spent !== judged.completed)
    judged.faults.push(`${spent} credits are spent, ${posted} images charged, ${judged.completed} there`);
};

const judgeHooks = async (shop: PhotoServer, { webhookSecret }: Customer, judged: Judged): Promise<void> => {
  for (const { headers, body, atMs } of shop.hooks) {
    const status = await unwrap(webhookSecret, headers, body, atMs).catch((error: Error) => error);
    if (status instanceof Error) judged.faults.push(`a webhook: ${status.message}`);
    else if (!/^(completed|failed)/.test(status.status)) judged.faults.push(`a webhook of a batch ${status.status}`);
  }
};

const reconcile = (env: NodeJS.ProcessEnv): Promise<{ readonly code: number; readonly text: string }> =>
  new Promise((resolve) => {
    const script = join(import.meta.dirname, '..', '..', 'origin', 'reconcile.ts');
    const options = { env: { ...process.env, ...env }, timeout: RECONCILE_RUN_MS_MAX };
    execFile(process.execPath, [script, '--grace-seconds', '0'], options, (error, out, errors) =>
      resolve({ code: error ? Number(error.code ?? 2) : 0, text: `${out}${errors}`.trim() }),
    );
  });

/** Its last words. The ledger's export may still be on its way: its alarm waits after an origin that was away. */
const untilReconciled = async ({ system, postgres }: ChaosSystem, judged: Judged): Promise<string> => {
  const env = { DATA_DIR: system.settings.dataDir, ...(postgres ? { DATABASE_URL: postgres.url } : {}) };
  for (const giveUpAt = Date.now() + RECONCILE_MS_MAX; ; await sleep(RECONCILE_EVERY_MS)) {
    const { code, text } = await reconcile(env);
    if (code !== 0 && Date.now() < giveUpAt) continue;
    if (code !== 0) judged.faults.push(`reconcile: ${text}`);
    return text.split('\n').at(-1) ?? '';
  }
};

export const judge = async (
  chaos: ChaosSystem,
  ledger: Books,
  { told, customer, send, shop }: { told: Told; customer: Customer; send: Send; shop: PhotoServer },
): Promise<Judged & { readonly reconciled: string }> => {
  const judged: Judged = { faults: [], completed: 0, failed: new Map() };
  await pMap(ledger.holds, (hold) => judgeHold(hold, send, judged), { concurrency: AT_ONCE });
  judgeTold(told, ledger.holds, judged);
  judgeMoney(ledger, customer, judged);
  await judgeHooks(shop, customer, judged);
  return Object.assign(judged, { reconciled: await untilReconciled(chaos, judged) });
};
