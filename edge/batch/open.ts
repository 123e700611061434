/** Opens a batch so that its caller can be told the truth: it is open, it is refused, or it never will be open. */
import type { Services } from '../ports.ts';
import type { OpenBatch, OpenReply } from './port.ts';

/**
 * `ledger_silent` is final here: were the batch left to its alarm, it would be charged after its caller was told that it
 * failed.
 */
export const openBatch = async ({ sagaOf }: Pick<Services, 'sagaOf'>, batch: OpenBatch): Promise<OpenReply> => {
  const saga = sagaOf(batch.batchId);
  const opened = await saga.open(batch);
  if (opened.result !== 'ledger_silent') return opened;
  return (await saga.giveUp()) === 'opened' ? { result: 'opened', available: null } : opened;
};
