/**
 * Queues: at least once, in no order. A message that is sent back, or whose consumer dies or throws, comes again; after
 * `retriesMax` it moves to the dead letter queue, or is gone where there is none.
 */
import { copy } from './namespace.ts';
import { running, type Scheduler } from './scheduler.ts';
import type { Ended, Invocation } from './worker.ts';

export type QueueSettings = {
  readonly name: string;
  readonly batchMax: number;
  readonly retriesMax: number;
  readonly deadLetter: string | undefined;
};
type QueueBatch = { readonly queue: string; readonly messages: readonly unknown[] };
export type Consume = (batch: QueueBatch, ended: (end: Ended<unknown>) => void, msMax: number) => Invocation;

type Stored = { readonly id: string; readonly body: unknown; readonly sentMs: number; attempts: number };

/** Wall time of one consumer invocation. */
const CONSUMER_MS_MAX = 15 * 60_000;
const LATE_MS_MAX = 5 * 3_600_000;
const CONCURRENCY_MAX = 10;

export const createQueues = (world: Scheduler, settings: readonly QueueSettings[], consume: Consume) => {
  const ready = new Map<string, Stored[]>(settings.map(({ name }) => [name, []]));
  const active = new Map<string, number>();
  let sent = 0;

  const deliverLater = (queue: QueueSettings, message: Stored, delayMs: number): void => {
    const lateMs = world.chance('messageLate')
      ? world.random.between(1_000, LATE_MS_MAX)
      : world.random.between(1, world.faults.slow > 0 ? 2_000 : 60);
    world.after(delayMs + lateMs, () => {
      ready.get(queue.name)?.push(message);
      world.after(world.random.between(0, 20), () => pump(queue));
    });
  };

  const accept = (queue: QueueSettings, body: unknown, delayMs: number): void => {
    if (world.chance('messageLost')) {
      world.tally('message lost');
      world.trace(() => `${queue.name} loses ${JSON.stringify(body)}`);
      return;
    }
    world.tally('queue messages written');
    const message = { id: `message ${sent++}`, body, sentMs: world.now(), attempts: 0 };
    deliverLater(queue, message, delayMs);
    if (world.chance('messageDoubled')) deliverLater(queue, { ...message }, delayMs + world.random.between(0, 60_000));
  };

  const pump = (queue: QueueSettings): void => {
    const waiting = ready.get(queue.name) ?? [];
    const running = active.get(queue.name) ?? 0;
    if (waiting.length === 0 || running >= CONCURRENCY_MAX) return;
    const batch = Array.from({ length: Math.min(queue.batchMax, waiting.length) }, () =>
      waiting.splice(world.random.between(0, waiting.length - 1), 1),
    ).flat();
    active.set(queue.name, running + 1);
    run(queue, batch);
  };

  const run = (queue: QueueSettings, batch: readonly Stored[]): void => {
    world.tally('queue consumers');
    world.tally('queue messages read', batch.length);
    const verdicts = new Map<Stored, { readonly kind: 'ack' } | { readonly kind: 'retry'; readonly delayMs: number }>();
    const messages = batch.map((message) => {
      message.attempts++;
      return {
        id: message.id,
        timestamp: new Date(message.sentMs),
        attempts: message.attempts,
        body: copy(message.body),
        ack: () => void (verdicts.has(message) || verdicts.set(message, { kind: 'ack' })),
        retry: ({ delaySeconds = 0 }: { delaySeconds?: number } = {}) =>
          void (verdicts.has(message) || verdicts.set(message, { kind: 'retry', delayMs: delaySeconds * 1_000 })),
      };
    });
    const ended = (end: Ended<unknown>): void => {
      active.set(queue.name, (active.get(queue.name) ?? 1) - 1);
      for (const message of batch) {
        // The platform hears of verdicts when the invocation ends; one that is cut off has given none.
        const verdict = end.kind === 'killed' ? undefined : verdicts.get(message);
        if (verdict?.kind === 'ack' || (verdict === undefined && end.kind === 'returned')) {
          world.tally('queue messages deleted');
          continue;
        }
        again(queue, message, verdict?.delayMs ?? 0);
      }
      world.after(0, () => pump(queue));
    };
    const invocation = consume({ queue: queue.name, messages }, ended, CONSUMER_MS_MAX);
    if (world.chance('consumerDies')) world.after(world.random.between(0, 5_000), invocation.kill);
    if (ready.get(queue.name)?.length) world.after(world.random.between(0, 20), () => pump(queue));
  };

  const again = (queue: QueueSettings, message: Stored, delayMs: number): void => {
    if (message.attempts <= queue.retriesMax) {
      deliverLater(queue, message, delayMs);
      return;
    }
    world.tally('dead letter');
    world.trace(() => `${queue.name} gives up ${JSON.stringify(message.body)}`);
    const dead = settings.find(({ name }) => name === queue.deadLetter);
    if (dead) deliverLater(dead, { ...message, attempts: 0 }, 0);
  };

  const producer = (name: string) => {
    const queue = settings.find((known) => known.name === name);
    if (!queue) throw new Error(`no queue ${name}`);
    const send = (bodies: readonly { readonly body: unknown; readonly delaySeconds?: number }[]): Promise<void> => {
      const caller = running.getStore()?.actor;
      const copies = bodies.map(({ body, delaySeconds = 0 }) => ({ body: copy(body), delayMs: delaySeconds * 1_000 }));
      return new Promise((resolve, reject) => {
        const emit = caller?.emit ?? ((work: () => void) => work());
        emit(() =>
          world.after(world.travelMs(), () => {
            const lost = world.chance('fetchFails');
            if (!lost) for (const { body, delayMs } of copies) accept(queue, body, delayMs);
            const silent = lost || world.chance('fetchReplyLost');
            world.after(
              world.travelMs(),
              () => (silent ? reject(new Error('Queue sendBatch failed: Internal Server Error')) : resolve()),
              caller,
            );
          }),
        );
      });
    };
    return {
      send: (body: unknown, options: { delaySeconds?: number } = {}) => send([{ body, ...options }]),
      sendBatch: (messages: Iterable<{ body: unknown; delaySeconds?: number }>) => send([...messages]),
    };
  };

  return { producer };
};
