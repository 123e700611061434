/**
 * The ledger inside its account's object: the machine over its tables. A command loads, decides and saves in one
 * synchronous transaction with no await in it, so two holds never see the same credit.
 */
import type { LedgerExport } from '../../../shared/ledger-export.ts';
import { limits } from '../../../shared/limits.ts';
import { edgeLimits } from '../../limits.ts';
import { decide } from './machine.ts';
import { confirmExport, nextExport, nextExportMs, noteEnded, noteExportDue } from './outbox.ts';
import type { EndedBatch, HoldOwner } from './port.ts';
import { dueHolds, ledgerView, nextHoldCheckMs, saveDecision } from './rows.ts';
import type { LedgerCommand, LedgerReply, Resolution } from './types.ts';

/** What the ledger reaches outside its object. */
export type LedgerServices = {
  readonly holdOwnerOf: (batchId: string) => HoldOwner;
  /** True once origin has stored every row. Throws nothing. */
  readonly exportLedger: (rows: LedgerExport) => Promise<boolean>;
};

export type Ledger = ReturnType<typeof createLedger>;

export const createLedger = (storage: DurableObjectStorage, now: () => number, services: LedgerServices) => {
  const { sql } = storage;

  /** The caller holds the transaction. */
  const apply = (command: LedgerCommand): LedgerReply => {
    const decision = decide(ledgerView(sql), command, now());
    saveDecision(sql, decision);
    if (decision.entry) noteExportDue(sql, now() + edgeLimits.ledger.outboxDelayMs);
    return decision.reply;
  };
  const execute = (command: LedgerCommand): LedgerReply => storage.transactionSync(() => apply(command));

  const resolve = (
    batchId: string,
    rows: readonly { readonly index: number; readonly as: Resolution }[],
    ended?: EndedBatch,
  ): readonly LedgerReply[] => {
    if (rows.length > edgeLimits.ledger.commandRowsPerCall)
      throw new RangeError(`${rows.length} resolutions in one call`);
    return storage.transactionSync(() => {
      if (ended) noteEnded(sql, ended, now() + edgeLimits.ledger.outboxDelayMs);
      return rows.map(({ index, as }) => apply({ type: 'resolve', batchId, index, as }));
    });
  };

  /** Asks, never decides: the saga settles what it knows; only a batch unknown to it gets its credits back from here. */
  const checkHolds = async (): Promise<void> => {
    for (const { batchId } of dueHolds(sql, now())) {
      const answer = await services
        .holdOwnerOf(batchId)
        .settleNow()
        .catch(() => 'known' as const);
      execute(answer === 'unknown' ? { type: 'release', batchId, reason: 'batch_unknown' } : { type: 'keep', batchId });
    }
  };

  const exportEntries = async (): Promise<void> => {
    const dueMs = nextExportMs(sql);
    if (dueMs === null || dueMs > now()) return;
    const rows = nextExport(sql);
    if (await services.exportLedger(rows)) confirmExport(sql, rows, now());
    else noteExportDue(sql, now() + limits.ledger.outboxRetryMs, 'later');
  };

  return {
    execute,
    resolve,
    checkHolds,
    exportEntries,
    /** When `checkHolds` or `exportEntries` has something to do; null while neither has. */
    nextWakeMs: (): number | null => {
      const times = [nextExportMs(sql), nextHoldCheckMs(sql)].filter((time) => time !== null);
      return times.length > 0 ? Math.min(...times) : null;
    },
  };
};
