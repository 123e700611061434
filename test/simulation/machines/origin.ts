/**
 * Origin: runs a job, stores the file, journals the outcome, answers. A repeated job answers from the journal. It may
 * die between any two of these.
 */
import type { Outcome } from '../../../shared/job.ts';
import type { Auditor } from './auditor/auditor.ts';
import type { Machines } from './machines.ts';
import type { World } from './world.ts';

export type Job = {
  readonly batchId: string;
  readonly index: number;
  readonly deadlineAtMs: number;
  readonly productless: boolean;
};
export type Answer =
  | { readonly status: 200; readonly outcome: Outcome }
  | { readonly status: 503; readonly retryAfterMs: number };

export const failed = (
  code: 'no_product_found' | 'result_missing' | 'deadline_exceeded' | 'origin_unavailable' | 'url_status',
  retryable: boolean,
): Outcome => ({
  status: 'failed',
  code,
  detail: code,
  retryable,
});
/** Figures are of no matter here. */
const completed: Outcome = {
  status: 'completed',
  width: 2000,
  height: 2000,
  bytes: 1,
  sha256: '0'.repeat(64),
  preview_bytes: 1,
  product_box: { x: 150, y: 150, width: 1700, height: 1700 },
  matte_confidence: 1,
  upscaled: false,
  compliance: { marketplace: 'amazon', passed: true, checks: [] },
  amazon_compliant: true,
  processing_ms: 1,
  model: 'model',
  provider: 'cpu',
  stages_ms: {},
};

export const createOrigin = (world: World, machines: Machines, bucket: Bucket) => {
  const node = world.node('origin');
  const journal = new Map<string, Outcome>();
  let running = new Set<string>();
  let downUntilMs = 0;
  /** A lease ends with the node that held it. */
  const dropLeases = (): void => {
    running = new Set();
    node.onCrash(dropLeases);
  };
  node.onCrash(dropLeases);

  const work = async (id: string, job: Job): Promise<Outcome> => {
    await world.sleep(
      node,
      world.random.chance(world.faults.slow) ? world.random.between(5_000, 120_000) : world.random.between(200, 3_000),
    );
    if (world.now() >= job.deadlineAtMs) return failed('deadline_exceeded', true);
    if (job.productless) return failed('no_product_found', false);
    if (!machines.rules.storeBeforeAnswer) world.spawn(node, () => bucket.put(id));
    else if (!(await bucket.put(id))) return failed('result_missing', true);
    await world.sleep(node, world.random.between(1, 30));
    return completed;
  };

  const run = async (job: Job): Promise<Answer> => {
    const id = `${job.batchId}:${job.index}`;
    const known = journal.get(id);
    if (known) return { status: 200, outcome: known };
    if (running.has(id) || world.random.chance(world.faults.originBusy))
      return { status: 503, retryAfterMs: world.random.between(1_000, 20_000) };
    running.add(id);
    const outcome = await work(id, job);
    if (outcome.status === 'completed' || !outcome.retryable) journal.set(id, outcome);
    running.delete(id);
    return { status: 200, outcome };
  };

  const crash = (downMs: number): void => {
    node.crash();
    downUntilMs = world.now() + downMs;
  };

  return {
    node,
    crash,
    up: () => world.now() >= downUntilMs,
    run,
  };
};

/** Objects survive everything. A put may be refused. */
export const createBucket = (world: World, auditor: Auditor) => {
  const objects = new Set<string>();
  return {
    async put(id: string): Promise<boolean> {
      if (world.random.chance(world.faults.storeFails)) return false;
      objects.add(id);
      auditor.stored(id);
      return true;
    },
    has: (id: string) => objects.has(id),
  };
};
export type Bucket = ReturnType<typeof createBucket>;
export type Origin = ReturnType<typeof createOrigin>;
