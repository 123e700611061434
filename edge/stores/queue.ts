/**
 * Images into the queue, several of one batch to a message, in as few calls as its limits allow (100 messages, 256 KB).
 */

import type { ImageMessage } from '../env.ts';
import { edgeLimits } from '../limits.ts';

const { imagesPerMessage, messagesPerSend } = edgeLimits.queue;

const inGroups = <T>(items: readonly T[], size: number): (readonly T[])[] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));

export const queueSender =
  (queue: Queue<ImageMessage>) =>
  async (batchId: string, indexes: readonly number[]): Promise<void> => {
    const messages = inGroups(indexes, imagesPerMessage).map((group) => ({
      body: { batch_id: batchId, indexes: group },
    }));
    for (const some of inGroups(messages, messagesPerSend)) await queue.sendBatch(some);
  };
