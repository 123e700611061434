/** An account's ledger as a durable object: rows survive a crash, everything else does not. */
import { type IdempotencyRecord, type StoredAnswer, yieldLease } from '../../../edge/account/idempotency/record.ts';
import {
  type Entry,
  emptyTotals,
  type Hold,
  type LedgerCommand,
  type LedgerReply,
  type LedgerView,
  type ResolveRow,
  type TestUse,
  type Totals,
} from '../../../edge/account/ledger/machine.ts';
import { durableAlarm } from './alarm.ts';
import type { Auditor } from './auditor/auditor.ts';
import type { Machines } from './machines.ts';
import type { World } from './world.ts';

export type LedgerNode = ReturnType<typeof createLedgerNode>;

/** Asks a batch's saga whether it knows the batch. */
export type AskSaga = (from: ReturnType<World['node']>, batchId: string) => Promise<'known' | 'unknown'>;

export const createLedgerNode = (
  world: World,
  accountId: string,
  machines: Machines,
  auditor: Auditor,
  askSaga: AskSaga,
) => {
  const node = world.node(accountId);
  let totals: Totals = emptyTotals;
  let testUse: TestUse = { day: '', images: 0 };
  const holds = new Map<string, Hold>();
  const entries = new Map<string, Entry>();
  const requests = new Map<string, IdempotencyRecord>();

  const view: LedgerView = {
    totals: () => totals,
    hold: (batchId) => holds.get(batchId),
    entry: (commandId) => entries.get(commandId),
    testUse: () => testUse,
  };

  const handle = (command: LedgerCommand): LedgerReply => {
    const decision = machines.ledger(view, command, world.now());
    if (decision.totals) totals = decision.totals;
    if (decision.hold) holds.set(decision.hold.batchId, decision.hold);
    if (decision.testUse) testUse = decision.testUse;
    for (const entry of decision.entries ?? []) entries.set(entry.commandId, entry);
    world.trace(`${accountId} ${JSON.stringify(command)} → ${decision.reply.result}`);
    const { reply } = decision;
    for (const { result } of reply.result === 'resolved' ? reply.replies : [reply])
      world.tally(`ledger ${command.type}: ${result}`);
    auditor.ledgerSaved(accountId, decision.entries ?? [], totals);
    alarm.set(nextCheckMs());
    return reply;
  };

  const checkAtMs = (hold: Hold): number | null =>
    hold.checkAtMs !== null && machines.rules.releaseAfterMs !== null
      ? Math.min(hold.checkAtMs, hold.openedAtMs + machines.rules.releaseAfterMs)
      : hold.checkAtMs;
  const nextCheckMs = (): number | null => {
    const times = [...holds.values()].map(checkAtMs).filter((time) => time !== null);
    return times.length > 0 ? Math.min(...times) : null;
  };

  /** Holds that are open for long: their saga is asked, and only one that knows nothing of the batch loses it. */
  const checkHolds = async (): Promise<void> => {
    for (const hold of [...holds.values()]) {
      const dueMs = checkAtMs(hold);
      if (dueMs === null || dueMs > world.now()) continue;
      if (machines.rules.releaseAfterMs !== null)
        handle({ type: 'release', batchId: hold.batchId, reason: 'batch_unknown' });
      else if ((await askSaga(node, hold.batchId)) === 'unknown')
        handle({ type: 'release', batchId: hold.batchId, reason: 'batch_unknown' });
      else handle({ type: 'keep', batchId: hold.batchId });
    }
  };
  const alarm = durableAlarm(world, node, checkHolds);

  return {
    node,
    accountId,
    handle,
    /** Answers the batch's window. */
    settle(batchId: string, rows: readonly ResolveRow[], inFlight: number): number {
      handle({ type: 'resolve', batchId, rows, inFlight });
      return holds.get(batchId)?.window ?? 0;
    },
    windowOf: (batchId: string): number => holds.get(batchId)?.window ?? 0,
    begin(key: string, batchId: string) {
      const { reply, record } = machines.begin(requests.get(key), { batchId, owner: null }, world.now());
      if (record) requests.set(key, record);
      world.tally(`idempotency: ${reply.result}`);
      return reply;
    },
    finish(key: string, batchId: string, answer: StoredAnswer): void {
      const record = machines.finish(requests.get(key), { batchId, owner: null }, answer);
      if (record) requests.set(key, record);
    },
    yieldLease(key: string, batchId: string): void {
      const record = yieldLease(requests.get(key), { batchId, owner: null }, world.now());
      if (record) requests.set(key, record);
    },
    drop(key: string, batchId: string): void {
      const record = requests.get(key);
      if (record?.batchId === batchId && !record.answer) requests.delete(key);
    },
    pendingBatches: (): string[] => [...holds.values()].filter((hold) => hold.pending > 0).map((hold) => hold.batchId),
  };
};
