/**
 * Queue messages to flows: a few images at once, each message acknowledged by itself; it is sent back only where the
 * consumer broke.
 */
import { parseImageId } from '../../shared/ids.ts';
import type { ImageMessage } from '../env.ts';
import { edgeLimits } from '../limits.ts';
import { logEvent } from '../log.ts';
import { atMost } from './at-most.ts';
import { type BatchImageDeps, type ImageRef, retryDeadLetter, runBatchImage } from './run-message.ts';

const DEAD_SUFFIX = '-dead';

type QueueMessage = Message<ImageMessage>;

export const consume = async ({ queue, messages }: MessageBatch<ImageMessage>, deps: BatchImageDeps): Promise<void> => {
  const fetchSlot = atMost(() => edgeLimits.batch.fetchesMax);
  const fetchInput: BatchImageDeps['fetchInput'] = (source, key) => fetchSlot(() => deps.fetchInput(source, key));
  const own = { ...deps, fetchInput, originSlot: atMost(deps.pace.imagesAtOnce) };
  const run = (image: ImageRef): Promise<void> =>
    queue.endsWith(DEAD_SUFFIX) ? retryDeadLetter(deps.services, image) : runBatchImage(own, image);
  const imageSlot = atMost(() => edgeLimits.batch.concurrencyMax);
  await Promise.all(
    messages.map(async (message) => {
      const runs = await Promise.allSettled(imagesOf(message.body).map((image) => imageSlot(() => run(image))));
      const broken = runs.find(({ status }) => status === 'rejected');
      if (broken?.status === 'rejected') sendBack(message, broken.reason);
      else message.ack();
    }),
  );
};

const imagesOf = (body: ImageMessage): ImageRef[] => {
  if ('indexes' in body) return body.indexes.map((index) => ({ batchId: body.batch_id, index }));
  const image = parseImageId(body.image_id);
  return image ? [image] : [];
};

/** A bug or a Durable Object that could not be reached; images of the message that were done are not done again. */
const sendBack = (message: QueueMessage, error: unknown): void => {
  logEvent('error', 'message_threw', {
    message: JSON.stringify(message.body),
    attempts: message.attempts,
    error: String(error),
  });
  message.retry({ delaySeconds: edgeLimits.queue.thrownDelaySeconds });
};
