/** Opens a batch so that its caller can be told the truth: it is open, it is refused, it never will be open, or unknown. */
import { errorText, logEvent } from '../log.ts';
import type { Services } from '../ports.ts';
import type { OpenBatch, OpenReply } from './port.ts';

export type Opened = OpenReply | { readonly result: 'unknown' };

/**
 * `ledger_silent` is final here: were the batch left to its alarm, it would be charged after its caller was told that it
 * failed. The same where the saga itself gave no answer: the batch is given up, which also holds against an open that
 * arrives later. `unknown`: neither could be learned.
 */
export const openBatch = async ({ sagaOf }: Pick<Services, 'sagaOf'>, batch: OpenBatch): Promise<Opened> => {
  const saga = sagaOf(batch.batchId);
  try {
    const opened = await saga.open(batch).catch((error: unknown) => {
      logEvent('warn', 'batch_open_unanswered', { batch_id: batch.batchId, error: errorText(error) });
      return { result: 'ledger_silent' } as const;
    });
    if (opened.result !== 'ledger_silent') return opened;
    return (await saga.giveUp(batch.batchId)) === 'opened' ? { result: 'opened', available: null } : opened;
  } catch (error) {
    logEvent('error', 'batch_outcome_unknown', { batch_id: batch.batchId, error: errorText(error) });
    return { result: 'unknown' };
  }
};
