/**
 * The queue: at least once, in no order, with delays. A message whose consumer dies comes again; after too many tries
 * it is a dead letter. All of it is lost on a restart.
 */
import type { World } from './world.ts';

export type Message = { readonly batchId: string; readonly index: number };
export type Verdict = { readonly retryAfterMs: number } | 'ack';
/** Runs one message on a worker of its own. */
export type Consume = (message: Message, worker: ReturnType<World['node']>) => Promise<Verdict>;

/** wrangler.toml's `max_retries`, roughly; the platform itself gives up on a consumer after 15 minutes. */
const RETRIES_MAX = 10;
const INVISIBLE_MS = 15 * 60_000;

export const createQueue = (world: World, consume: Consume, deadLetter: Consume) => {
  let generation = 0;
  let workers: ReturnType<World['node']>[] = [];

  const deliver = (message: Message, attempt: number, delayMs: number): void => {
    const born = generation;
    const delay =
      delayMs +
      (world.random.chance(world.faults.slow) ? world.random.between(1_000, 240_000) : world.random.between(1, 300));
    world.after(delay, () => generation === born && receive(message, attempt));
  };

  const receive = (message: Message, attempt: number): void => {
    const worker = world.node(`consumer ${message.batchId}:${message.index}`);
    workers.push(worker);
    const born = generation;
    let done = false;
    const again = (ms: number): void => {
      if (done || generation !== born) return;
      done = true;
      workers = workers.filter((other) => other !== worker);
      deliver(message, attempt + 1, ms);
    };
    world.after(INVISIBLE_MS, () => again(0));
    if (world.random.chance(world.faults.crashAfter))
      world.after(world.random.between(1, 2_000), () => !done && (worker.crash(), again(1_000)));
    if (attempt > RETRIES_MAX) world.tally('dead letter');
    const handler = attempt > RETRIES_MAX ? deadLetter : consume;
    world.spawn(worker, async () => {
      try {
        const verdict = await handler(message, worker);
        if (verdict !== 'ack') return again(verdict.retryAfterMs);
        done = true;
        workers = workers.filter((other) => other !== worker);
      } catch (error) {
        again(2_000);
        throw error;
      }
    });
  };

  return {
    send(batchId: string, index: number): void {
      if (world.random.chance(world.faults.messageLost)) return world.trace(`queue loses ${batchId}:${index}`);
      deliver({ batchId, index }, 1, 0);
      if (world.random.chance(world.faults.messageDoubled))
        deliver({ batchId, index }, 1, world.random.between(0, 30_000));
    },
    /** Everything in it is gone, and who worked on it too. */
    restart(): void {
      generation++;
      for (const worker of workers) worker.crash();
      workers = [];
    },
  };
};
