/** The one thing both sides of a task's port need: the next message. */
import type { MessagePort } from 'node:worker_threads';

export type { MessagePort };

export const once = <T>(port: MessagePort): Promise<T> =>
  new Promise((resolve) => port.once('message', (message: T) => resolve(message)));
