/**
 * The ledger inside its account's object: the machine over its tables. A command loads, decides and saves in one
 * synchronous transaction with no await in it, so two holds never see the same credit.
 */
import type { CheckpointSignature, LedgerCheckpoint } from '../../../shared/ledger-checkpoint.ts';
import type { LedgerExport } from '../../../shared/ledger-export.ts';
import { limits } from '../../../shared/limits.ts';
import { edgeLimits } from '../../limits.ts';
import { noteCrossing } from '../alerts.ts';
import { noteMovement } from '../top-up/begin.ts';
import { noteBatchEnd, noteLowBalance } from '../webhook-endpoints/events.ts';
import { decide } from './machine.ts';
import { confirmExport, nextExport, nextExportMs, nextSendMs, noteEnded, noteExportDue } from './outbox.ts';
import type { EndedBatch, HoldOwner } from './port.ts';
import { dueHolds, ledgerView, nextHoldCheckMs, noteHoldsChecked, saveDecision } from './rows.ts';
import { isRollUpDue } from './settled-days.ts';
import type { LedgerCommand, LedgerDecision, LedgerReply, ResolveReply, ResolveRow } from './types.ts';

/** `isStored` once every row is safe at origin, be it with other content: those are `conflicting`. */
type ExportReply = { readonly isStored: true; readonly conflicting: readonly string[] } | { readonly isStored: false };

/** What the ledger reaches outside its object. Throws nothing. */
export type LedgerServices = {
  readonly holdOwnerOf: (batchId: string) => HoldOwner;
  readonly exportLedger: (rows: LedgerExport) => Promise<ExportReply>;
  readonly signCheckpoint: (accountId: string, checkpoint: LedgerCheckpoint) => Promise<CheckpointSignature>;
};

export type Ledger = {
  readonly storage: DurableObjectStorage;
  readonly now: () => number;
  readonly services: LedgerServices;
};

/** The caller holds the transaction. */
const apply = ({ storage: { sql }, now }: Ledger, command: LedgerCommand): LedgerDecision => {
  const decision = decide(ledgerView(sql), command, now());
  saveDecision(sql, decision, now() + edgeLimits.ledger.outboxDelayMs);
  if (decision.crossed) noteCrossing(sql, decision.crossed, now());
  noteMovement(sql, command, decision, now());
  if (decision.crossed) noteLowBalance(sql, decision.crossed, now());
  return decision;
};

export const execute = (ledger: Ledger, command: LedgerCommand): LedgerReply =>
  ledger.storage.transactionSync(() => apply(ledger, command).reply);

/** Settles images of one batch together. Throws for more rows than a call may carry, which only a bug can send. */
export const resolveImages = (
  ledger: Ledger,
  batchId: string,
  rows: readonly ResolveRow[],
  { ended, inFlight }: { readonly ended?: EndedBatch | undefined; readonly inFlight?: number } = {},
): readonly ResolveReply[] => {
  if (rows.length > edgeLimits.ledger.commandRowsPerCall)
    throw new RangeError(`${rows.length} resolutions in one call`);
  const { storage, now } = ledger;
  return storage.transactionSync(() => {
    const command = {
      type: 'resolve',
      batchId,
      rows,
      ...(inFlight === undefined ? {} : { inFlight }),
      ...(ended === undefined ? {} : { ended: JSON.stringify(ended) }),
    } as const;
    const decision = apply(ledger, command);
    const { reply, entries = [] } = decision;
    // Origin compares the batches it is told of with their entries; those of test keys have none.
    if (ended && entries.length === 0 && ledgerView(storage.sql).hold(batchId)?.mode !== 'test')
      noteEnded(storage.sql, ended, now() + edgeLimits.ledger.outboxDelayMs);
    // An upload's caller has its answer.
    if (ended && ended.slot === undefined && decision.hold && isClosedBy(decision))
      noteBatchEnd(storage.sql, batchId, decision.hold.mode, now());
    return reply.result === 'resolved' ? reply.replies : [];
  });
};

/** Once in a hold's life: the command that resolved the last of its images. */
const isClosedBy = ({ reply, hold }: LedgerDecision): boolean =>
  hold?.pending === 0 &&
  reply.result === 'resolved' &&
  reply.replies.some(({ result }) => result === 'posted' || result === 'voided');

/** Asks, never decides: the saga settles what it knows; only a batch unknown to it gets its credits back from here. */
export const checkHolds = async (ledger: Ledger): Promise<void> => {
  const { storage, now, services } = ledger;
  if ((nextHoldCheckMs(storage.sql) ?? Number.POSITIVE_INFINITY) > now()) return;
  for (const { batchId } of dueHolds(storage.sql, now())) {
    const answer = await services
      .holdOwnerOf(batchId)
      .settleNow()
      .catch(() => 'known' as const);
    const command: LedgerCommand =
      answer === 'unknown' ? { type: 'release', batchId, reason: 'batch_unknown' } : { type: 'keep', batchId };
    execute(ledger, command);
  }
  noteHoldsChecked(storage.sql);
};

export const exportEntries = async ({ storage, now, services }: Ledger): Promise<void> => {
  const { sql } = storage;
  const dueMs = nextExportMs(sql);
  if (dueMs === null || dueMs > now()) return;
  const rows = nextExport(sql);
  const reply = await services.exportLedger(rows);
  if (reply.isStored) storage.transactionSync(() => confirmExport(sql, rows, reply.conflicting, now()));
  else noteExportDue(sql, now() + limits.ledger.outboxRetryMs, 'later');
};

/** When there is something to check, to export or to add up; null while there is not. */
export const nextWakeMs = ({ storage: { sql }, now }: Ledger): number | null => {
  const times = [nextSendMs(sql), nextHoldCheckMs(sql), isRollUpDue(sql) ? now() : null].filter(
    (time) => time !== null,
  );
  return times.length > 0 ? Math.min(...times) : null;
};
