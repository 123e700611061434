/** Queue messages to flows: a few images at once, each message acknowledged or sent back by itself. */
import { limits } from '../../shared/limits.ts';
import type { ImageMessage } from '../env.ts';
import { logEvent } from '../log.ts';
import { type BatchImageDeps, giveUpBatchImage, runBatchImage } from './run-message.ts';

const DEAD_SUFFIX = '-dead';

export const consume = async (messages: MessageBatch<ImageMessage>, deps: BatchImageDeps): Promise<void> => {
  const handle = messages.queue.endsWith(DEAD_SUFFIX) ? giveUp : run;
  const waiting = [...messages.messages];
  const worker = async (): Promise<void> => {
    for (let message = waiting.shift(); message; message = waiting.shift())
      await handle(message, deps).catch((error: unknown) => sendBack(message, error));
  };
  await Promise.all(Array.from({ length: Math.min(waiting.length, limits.batch.concurrencyMax) }, worker));
};

type Message_ = Message<ImageMessage>;

const run = async (message: Message_, deps: BatchImageDeps): Promise<void> => {
  const verdict = await runBatchImage(deps, message.body.image_id, message.attempts);
  if (verdict.kind === 'done') message.ack();
  else message.retry({ delaySeconds: verdict.delaySeconds });
};

const giveUp = async (message: Message_, { services }: BatchImageDeps): Promise<void> => {
  await giveUpBatchImage(services, message.body.image_id);
  message.ack();
};

/** A bug or a Durable Object that could not be reached. */
const sendBack = (message: Message_, error: unknown): void => {
  logEvent('error', 'message_threw', {
    image_id: message.body.image_id,
    attempts: message.attempts,
    error: String(error),
  });
  message.retry({ delaySeconds: limits.queue.thrownDelaySeconds });
};
