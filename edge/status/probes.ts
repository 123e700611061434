/**
 * The probes of the status page: each uses a part of the service as requests use it, and throws where that part is
 * broken. None touches an account, and none is charged.
 */
import { newId } from '../../shared/ids.ts';
import { limits } from '../../shared/limits.ts';
import { resolveOptions } from '../../shared/options.ts';
import { paths } from '../../shared/paths.ts';
import type { StatusComponent } from '../../shared/status.ts';
import { traceparent } from '../http/call.ts';
import { edgeLimits } from '../limits.ts';
import type { Services } from '../ports.ts';
import { checkKey } from '../stores/object-keys.ts';

export type ProbeDeps = {
  readonly services: Services;
  readonly publicBaseUrl: string;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly bucket: R2Bucket;
  readonly db: D1Database;
  readonly queues: readonly Pick<Queue, 'metrics'>[];
  /** The bytes of a photo of a product, for the pipeline. */
  readonly photo: () => Promise<ArrayBuffer>;
};

/**
 * What a probe found where it did not throw. `busy`: the part works and could not take this call now. `waitMs`: the time
 * to judge, where that is not how long the probe took.
 */
type Found = { readonly busy?: true; readonly waitMs?: number };
type ProbeRun = (deps: ProbeDeps) => Promise<Found>;

/** Objects of their own that hold nothing: none of a customer is asked. */
const NOBODY = 'status-probe';

/** Through the front door: name, certificate, rules for traffic, Worker, routes. */
const api: ProbeRun = async ({ fetch, publicBaseUrl }) => {
  const answer = await fetch(publicBaseUrl + paths.marketplaces, { headers: { accept: 'application/json' } });
  if (answer.status !== 200) throw new Error(`status ${answer.status}`);
  const body = (await answer.json()) as { marketplaces?: unknown };
  if (!Array.isArray(body.marketplaces)) throw new Error('another answer than ours');
  return {};
};

const ledger: ProbeRun = async ({ services }) => {
  const [account, batch] = await Promise.all([
    services.accountOf(NOBODY).ledger.summary(),
    services.sagaOf(NOBODY).snapshot(),
  ]);
  if (account !== undefined || batch !== undefined)
    throw new Error('an object that should hold nothing holds something');
  return {};
};

/** Under the prefix of checks, so that the sweep and the bucket's rule remove what a probe that died has left. */
const storage: ProbeRun = async ({ bucket, services: { clock, randomBytes } }) => {
  const key = checkKey(newId('check', clock.nowMs(), randomBytes));
  const written = randomBytes(edgeLimits.status.probeBytes);
  await bucket.put(key, written);
  try {
    const object = await bucket.get(key);
    const read = object && new Uint8Array(await object.arrayBuffer());
    if (read?.length !== written.length || !read.every((byte, i) => byte === written[i]))
      throw new Error('what was read is not what was written');
  } finally {
    await bucket.delete(key);
  }
  if (await bucket.head(key)) throw new Error('a deleted file is still there');
  return {};
};

const database: ProbeRun = async ({ db, services: { clock } }) => {
  const nowMs = clock.nowMs();
  await db.prepare('update status_now set heartbeat = ? where id = 1').bind(nowMs).run();
  const row = await db.prepare('select heartbeat from status_now where id = 1').first<{ heartbeat: number }>();
  // A run beside this one may have written since.
  if (!row || row.heartbeat < nowMs) throw new Error('what was read is not what was written');
  return {};
};

const queue: ProbeRun = async ({ queues, services: { clock } }) => {
  const backlogs = await Promise.all(queues.map((one) => one.metrics()));
  const waits = backlogs.map(({ backlogCount, oldestMessageTimestamp: oldest }) =>
    backlogCount > 0 && oldest ? clock.nowMs() - new Date(oldest).getTime() : 0,
  );
  return { waitMs: Math.max(0, ...waits) };
};

/** A question about lines that nobody has: node, token, clock and its database have to be right for the answer. */
const nodes: ProbeRun = async ({ services }) => {
  const lines = await services.ledgerArchive({ accountId: NOBODY, before: 1, max: 1 });
  if (lines === undefined) throw new Error('no node answered');
  return {};
};

/** As a free check does it, without an account: photo into the store, a node reads it by a presigned URL and looks. */
const pipeline: ProbeRun = async ({ services, bucket, photo }) => {
  const { clock, randomBytes, objects } = services;
  const options = resolveOptions({});
  if (!options.ok) throw new Error('no options');
  const id = newId('check', clock.nowMs(), randomBytes);
  const key = checkKey(id);
  await bucket.put(key, await photo());
  try {
    const check = {
      check_id: id,
      account_id: NOBODY,
      input_url: await objects.presign('GET', key),
      options: options.value,
      deadline_at: clock.nowMs() + limits.checks.waitMsMax,
    };
    const trace = {
      requestId: newId('request', clock.nowMs(), randomBytes),
      traceparent: traceparent(undefined, randomBytes),
    };
    const reply = await services.runCheck(check, trace);
    if (reply.kind === 'busy') return { busy: true };
    if (reply.kind !== 'outcome') throw new Error(`the fleet: ${reply.kind}`);
    if ('failed' in reply.outcome) throw new Error(reply.outcome.failed.code);
    if (reply.outcome.check.product_box === null) throw new Error('the product was not found');
    return {};
  } finally {
    await bucket.delete(key);
  }
};

export const probes: Readonly<Record<StatusComponent, ProbeRun>> = {
  api,
  ledger,
  storage,
  database,
  queue,
  nodes,
  pipeline,
};
