/**
 * A batch's saga as a durable object: saves what the machine decided, then carries out the effects, any of which a
 * crash may cut off.
 */
import {
  type Batch,
  type BatchCommand,
  type BatchDecision,
  type BatchEffect,
  type BatchReply,
  type BatchView,
  batchStatus,
  type Image,
  inFlight,
  newImage,
  type Settlement,
} from '../../../edge/batch/machine/batch.ts';
import type { KeyMode } from '../../../shared/api-key.ts';
import { durableAlarm } from './alarm.ts';
import type { Auditor } from './auditor/auditor.ts';
import type { LedgerNode } from './ledger-node.ts';
import type { Machines } from './machines.ts';
import type { World } from './world.ts';

export type SagaNode = ReturnType<typeof createSagaNode>;
type Receiver = (batchId: string) => 'delivered' | 'gone' | 'failed';
export type SagaDeps = {
  readonly machines: Machines;
  readonly auditor: Auditor;
  readonly ledger: LedgerNode;
  readonly send: (batchId: string, index: number) => void;
  readonly receive: Receiver;
  readonly receiver: ReturnType<World['node']>;
};

export const createSagaNode = (world: World, batchId: string, deps: SagaDeps) => {
  const node = world.node(batchId);
  let row: Batch | undefined;
  let images: Image[] = [];
  let mode: KeyMode = 'live';
  const waiting: (() => void)[] = [];

  const undecided = (): Image[] => images.filter((image) => image.outcome === null);
  const view: BatchView = {
    batch: () => row,
    image: (index) => images[index],
    dueImages: (nowMs, max) =>
      undecided()
        .filter((image) => image.dueAtMs !== null && image.dueAtMs <= nowMs)
        .slice(0, max),
    undecidedImages: (max) => undecided().slice(0, max),
    unsettledImages: (max) => images.filter((image) => image.settlement === 'due').slice(0, max),
    earliestDueMs: () =>
      undecided().reduce<number | null>(
        (least, { dueAtMs }) => (dueAtMs === null ? least : Math.min(least ?? dueAtMs, dueAtMs)),
        null,
      ),
  };

  const save = (decision: BatchDecision): void => {
    if (!row && decision.batch) images = Array.from({ length: decision.batch.images }, (_, index) => newImage(index));
    if (decision.batch) row = decision.batch;
    for (const image of decision.images ?? []) images[image.index] = image;
    if (decision.effects.some(({ type }) => type === 'forget')) [row, images] = [undefined, []];
    deps.auditor.sagaSaved(batchId, row, images);
    alarm.set(machines.nextWakeMs(view));
    if (!row) return;
    if (row.completedAtMs !== null) for (const wake of waiting.splice(0)) wake();
  };

  const { machines } = deps;
  const handle = (command: BatchCommand): BatchReply => {
    const decision = machines.batch(view, command, world.now());
    world.trace(
      `${batchId} ${command.type}${'index' in command ? ` ${command.index}` : ''} → ${decision.reply.result} ${decision.effects.map(({ type }) => type).join(' ')}`,
    );
    world.tally(`batch ${command.type}: ${decision.reply.result}`);
    for (const effect of decision.effects) world.tally(`effect ${effect.type} of ${command.type}`);
    const epoch = node.epoch();
    if (machines.rules.saveBeforeEffects) save(decision);
    else world.after(30, () => node.epoch() === epoch && save(decision));
    for (const effect of decision.effects)
      if (!(command.type === 'create' && effect.type === 'ask_hold')) world.spawn(node, () => carryOut(effect));
    return decision.reply;
  };

  const carryOut = async (effect: BatchEffect): Promise<void> => {
    switch (effect.type) {
      case 'ask_hold':
        return askHold(effect.images);
      case 'release_hold':
        await world.call(node, deps.ledger.node, () =>
          deps.ledger.handle({ type: 'release', batchId, reason: 'hold_unwanted' }),
        );
        handle({ type: 'released' });
        return;
      case 'dispatch':
        for (const index of effect.indexes) deps.send(batchId, index);
        return;
      case 'settle':
        return settle(effect.settlements);
      case 'deliver_webhook':
        return deliverWebhook();
      case 'discard_inputs':
      case 'announce':
      case 'forget':
        return;
    }
  };

  const settle = async (settlements: readonly Settlement[]): Promise<void> => {
    const window = await world.call(node, deps.ledger.node, () =>
      deps.ledger.settle(batchId, settlements, row ? inFlight(row) : 0),
    );
    handle({ type: 'settled', indexes: settlements.map(({ index }) => index), window });
  };

  const askHold = async (count: number): Promise<void> => {
    const reply = await world.call(node, deps.ledger.node, () =>
      deps.ledger.handle({ type: 'hold', batchId, images: count, mode, style: row?.style ?? 'batch' }),
    );
    handle({
      type: 'hold_answered',
      answer: reply.result === 'held' || reply.result === 'already_held' ? 'held' : 'refused',
      available: 'available' in reply ? reply.available : 0,
      window: deps.ledger.windowOf(batchId),
    });
  };

  /**
   * Creates the batch and asks for its credits at once; `asking`: the ledger gave no answer, the alarm will ask again.
   */
  const open = async (command: Extract<BatchCommand, { type: 'create' }>, asked: KeyMode): Promise<Batch['hold']> => {
    if (!row) mode = asked;
    handle(command);
    if (row?.hold === 'asking') await askHold(command.images).catch(() => undefined);
    return row?.hold ?? 'asking';
  };

  const deliverWebhook = async (): Promise<void> => {
    deps.auditor.webhookSent(batchId);
    const answer = await world.call(node, deps.receiver, () => deps.receive(batchId)).catch(() => 'failed' as const);
    if (answer === 'gone') deps.auditor.webhookGone(batchId);
    handle({ type: 'webhook_answered', answer, jitter: world.random.unit() });
  };

  const alarm = durableAlarm(world, node, async () => void handle({ type: 'tick' }));
  return {
    node,
    handle,
    open,
    giveUp: () =>
      handle({ type: 'give_up', batchId }).result === 'opened' ? ('opened' as const) : ('dropped' as const),
    /** Resolves when the batch has ended. */
    over: () => new Promise<void>((resolve) => (row?.completedAtMs === null ? waiting.push(resolve) : resolve())),
    /** The ledger asks after a hold that is open for long. */
    settleNow(): 'known' | 'unknown' {
      if (!row || row.hold === 'refused') return 'unknown';
      handle({ type: 'tick' });
      return 'known';
    },
    row: () => row,
    /** What a poll shows; nothing of a batch without its credits. */
    status: () => {
      if (!row || row.hold === 'asking' || row.hold === 'refused') return undefined;
      const { images: total, completed, failed, processing } = row;
      return {
        status: batchStatus(row),
        total,
        completed,
        failed,
        processing,
        images: images.map(({ status }) => status),
      };
    },
  };
};
