/** How the files of a batch end: deleted by their owner, delivered, or at the end of their life. */
import { indexOfObject } from '../stores/object-keys.ts';
import { isOutput, noteDelivered } from './delivered.ts';
import type { SagaServices } from './effects.ts';
import { isOpen } from './machine/batch.ts';
import { isKeptOnce, resultsUntilMs } from './machine/retention.ts';
import type { BatchDecision } from './machine/types.ts';
import type { RemoveReply } from './port.ts';
import { isBeingRemoved, noteRemoval, type RemovalKind, removedImages, runNewRemoval, runRemovals } from './removal.ts';
import { contextOf, forget } from './rows.ts';
import type { SagaCore } from './saga-core.ts';

export const createEndOfLife = ({ storage, now, services, batch: stored, execute, arm }: SagaCore) => {
  const { sql } = storage;

  const remove = async (index: number | null): Promise<RemoveReply> => {
    if (!stored()) return 'unknown';
    const before = stored()?.removedAtMs ?? null;
    const { reply } = execute({ type: 'remove', index }, undefined, ({ result }) => {
      if (result !== 'removed' || before !== null) return;
      if (index !== null && removedImages(sql).includes(index)) return;
      forget(sql, index, now());
      noteRemoval(sql, 'everything', index, now(), 'caller');
    });
    if (reply.result === 'in_progress') return 'running';
    if (reply.result !== 'removed') return 'unknown';
    const removed = before === null ? index : null;
    await runNewRemoval(sql, removed, now, erase());
    arm();
    return isBeingRemoved(sql, removed) ? 'removing' : 'removed';
  };

  const run = async (): Promise<boolean> => stored() !== undefined && runRemovals(sql, now, erase());
  const erase = (): ((index: number | null, what: RemovalKind) => ReturnType<SagaServices['erase']>) => {
    const { batchId, images } = stored() ?? { batchId: '', images: 0 };
    const { accountId } = contextOf(sql);
    return (index, what) => services.erase({ batchId, accountId, index, images, what });
  };

  const noteDownload = (objectKey: string): void => {
    const batch = stored();
    if (!batch || batch.removedAtMs !== null || !isKeptOnce(batch)) return;
    const output = { ...contextOf(sql), index: indexOfObject(objectKey) };
    if (!isOutput(output, objectKey)) return;
    storage.transactionSync(() => {
      if (noteDelivered(sql, output, objectKey)) noteRemoval(sql, 'files', output.index, now(), 'alarm');
    });
    arm();
  };

  /**
   * Where nothing is kept longer than needed, the inputs of images go that a command has decided, by an outcome, their
   * deadline or the end of their batch. The caller holds the transaction.
   */
  const noteDecided = ({ batch, images = [] }: BatchDecision): void => {
    if (!batch || !isKeptOnce(batch)) return;
    for (const { index, outcome, settlement } of images)
      if (outcome !== null && settlement !== 'settled') noteRemoval(sql, 'inputs', index, now(), 'alarm');
  };

  /** At the end of their life the files go, all at once. */
  const expire = (): void => {
    if ((expiryMs() ?? Number.POSITIVE_INFINITY) > now()) return;
    storage.transactionSync(() => {
      sql.exec('update batch set expiredAtMs = ?', now());
      noteRemoval(sql, 'files', null, now(), 'alarm');
    });
  };
  const expiryMs = (): number | null => {
    const batch = stored();
    return batch && isOpen(batch) && batch.expiredAtMs === null && batch.removedAtMs === null
      ? resultsUntilMs(batch)
      : null;
  };

  return {
    remove,
    /** Removals that are due; true where more is to be done at once. */
    run,
    noteDownload,
    noteDecided,
    expire,
    expiryMs,
  };
};
