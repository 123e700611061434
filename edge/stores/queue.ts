/** Images into the queue, one message each, in as few calls as its limits allow (100 messages, 256 KB). */

import type { ImageMessage } from '../env.ts';
import { edgeLimits } from '../limits.ts';

export const queueSender =
  (queue: Queue<ImageMessage>) =>
  async (imageIds: readonly string[]): Promise<void> => {
    const most = edgeLimits.queue.messagesPerSend;
    for (let from = 0; from < imageIds.length; from += most) {
      await queue.sendBatch(imageIds.slice(from, from + most).map((image_id) => ({ body: { image_id } })));
    }
  };
