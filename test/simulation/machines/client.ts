/**
 * A caller: sends a wish, tries again when the answer is lost (with its idempotency key, or carelessly without one),
 * polls, downloads.
 */
import type { Auditor, Reply } from './auditor/auditor.ts';
import type { Submission } from './edge.ts';
import type { Bucket } from './origin.ts';
import type { SagaNode } from './saga-node.ts';
import { type Node, Unreachable, type World } from './world.ts';

export type ClientDeps = {
  readonly auditor: Auditor;
  readonly bucket: Bucket;
  readonly submit: (worker: Node, wish: Submission) => Promise<Reply>;
  readonly sagaOf: (batchId: string) => SagaNode;
};

const TRIES_MAX = 8;
/** Requests without a key are given up sooner: each further try may be charged again, and rightly so. */
const KEYLESS_TRIES_MAX = 2;

export const runClient = (world: World, wish: Submission, deps: ClientDeps): void => {
  const client = world.node(`client of ${wish.request}`);
  world.spawn(client, async () => {
    const keyed = wish.idempotencyKey !== undefined;
    for (let attempt = 1; attempt <= (keyed ? TRIES_MAX : KEYLESS_TRIES_MAX); attempt++) {
      const request = keyed ? wish.request : `${wish.request} try ${attempt}`;
      const reply = await send(world, client, { ...wish, request }, deps);
      if (reply) deps.auditor.replied(request, reply);
      if (reply?.status === 402) return;
      if (reply?.batchId !== undefined && reply.status !== 503) return follow(world, client, reply.batchId, deps);
      await world.sleep(client, world.random.between(500, 20_000) * attempt);
    }
  });
};

const send = async (world: World, client: Node, wish: Submission, deps: ClientDeps): Promise<Reply | undefined> => {
  const worker = world.node(`worker of ${wish.request}`);
  if (world.random.chance(world.faults.crashAfter)) world.after(world.random.between(1, 4_000), () => worker.crash());
  try {
    const reply = await world.call(client, worker, () => deps.submit(worker, wish), {
      doubles: wish.idempotencyKey !== undefined,
    });
    world.trace(`${client.name} gets ${reply.status} ${reply.batchId ?? ''}`);
    return reply;
  } catch (error) {
    if (error instanceof Unreachable) return undefined;
    throw error;
  }
};

/** Polls with growing patience until the batch is over, then fetches every result. */
const follow = async (world: World, client: Node, batchId: string, deps: ClientDeps): Promise<void> => {
  const saga = deps.sagaOf(batchId);
  for (let pollMs = 1_000; ; pollMs = Math.min(pollMs * 1.5, 600_000)) {
    const status = await world.call(client, saga.node, () => saga.status()).catch(() => undefined);
    if (status) {
      deps.auditor.polled(batchId, status);
      if (status.completed + status.failed === status.total) {
        for (const [index, image] of status.images.entries())
          if (image === 'completed')
            deps.auditor.downloaded(`${batchId}:${index}`, deps.bucket.has(`${batchId}:${index}`));
        return;
      }
    }
    await world.sleep(client, pollMs * (0.5 + world.random.unit()));
  }
};
