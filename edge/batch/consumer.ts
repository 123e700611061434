/**
 * Queue messages to flows: a few images at once, each message acknowledged by itself; it is sent back only where the
 * consumer broke.
 */
import pMap from 'p-map';
import type { ImageMessage } from '../env.ts';
import { edgeLimits } from '../limits.ts';
import { logEvent } from '../log.ts';
import { atMost } from './at-most.ts';
import { type BatchImageDeps, retryDeadLetter, runBatchImage } from './run-message.ts';

const DEAD_SUFFIX = '-dead';

type QueueMessage = Message<ImageMessage>;

export const consume = async ({ queue, messages }: MessageBatch<ImageMessage>, deps: BatchImageDeps): Promise<void> => {
  const handle = queue.endsWith(DEAD_SUFFIX) ? retryDead : run;
  const fetchSlot = atMost(edgeLimits.batch.fetchesMax);
  const fetchInput: BatchImageDeps['fetchInput'] = (url, key) => fetchSlot(() => deps.fetchInput(url, key));
  const own = { ...deps, fetchInput };
  await pMap(messages, (message) => handle(message, own).catch((error: unknown) => sendBack(message, error)), {
    concurrency: edgeLimits.batch.concurrencyMax,
  });
};

const run = async (message: QueueMessage, deps: BatchImageDeps): Promise<void> => {
  await runBatchImage(deps, message.body.image_id);
  message.ack();
};

const retryDead = async (message: QueueMessage, { services }: BatchImageDeps): Promise<void> => {
  await retryDeadLetter(services, message.body.image_id);
  message.ack();
};

/** A bug or a Durable Object that could not be reached. */
const sendBack = (message: QueueMessage, error: unknown): void => {
  logEvent('error', 'message_threw', {
    image_id: message.body.image_id,
    attempts: message.attempts,
    error: String(error),
  });
  message.retry({ delaySeconds: edgeLimits.queue.thrownDelaySeconds });
};
