/**
 * Images into the queue, several of one batch to a message, in as few calls as its limits allow (100 messages, 256 KB).
 */
import type { Clock } from '../../shared/clock.ts';
import { fnv1a } from '../../shared/digest.ts';
import type { ImageMessage } from '../env.ts';
import { edgeLimits } from '../limits.ts';
import { answerWithin } from './unanswered.ts';

const { imagesPerMessage, messagesPerSend, sendMsMax } = edgeLimits.queue;

const inGroups = <T>(items: readonly T[], size: number): (readonly T[])[] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));

type SendImages = (accountId: string, batchId: string, indexes: readonly number[]) => Promise<void>;

/** Each account's images go to one of the queues. Changing their number sends accounts elsewhere, and loses nothing. What is sent twice is run once. */
export const queueSender =
  (queues: readonly Queue<ImageMessage>[], clock: Pick<Clock, 'after'>): SendImages =>
  async (accountId, batchId, indexes) => {
    const queue = queues[fnv1a(accountId) % queues.length];
    if (!queue) throw new Error('no queue for images');
    const messages = inGroups(indexes, imagesPerMessage).map((group) => ({
      body: { batch_id: batchId, indexes: group },
    }));
    for (const some of inGroups(messages, messagesPerSend))
      await answerWithin(queue.sendBatch(some), sendMsMax, clock, 'a queue');
  };

/** The binding of each queue: `JOBS`, `JOBS_1`, `JOBS_2` … */
export const queueBinding = (shard: number): string => (shard === 0 ? 'JOBS' : `JOBS_${shard}`);
