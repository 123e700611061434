/**
 * What a batch's decisions ask of the world: each effect, once run, becomes the command that tells the batch what came
 * of it. An effect that throws has no answer; the batch's alarm asks again.
 */
import { marketplacesOf } from '../../shared/options.ts';
import type { EndedBatch, LedgerPort } from '../account/ledger/port.ts';
import type { KeptAttempt, SentBy } from '../account/webhook-attempts/port.ts';
import { logEvent } from '../log.ts';
import type { Batch, BatchCommand, BatchEffect, HoldAnswered, Settlement } from './machine/types.ts';
import { batchStatus, inFlight } from './machine/types.ts';
import type { BatchContext, Snapshot } from './port.ts';
import type { Erase } from './removal.ts';

/** What a saga reaches outside itself. */
export type SagaServices = {
  readonly ledgerOf: (accountId: string) => LedgerPort;
  readonly enqueue: (accountId: string, batchId: string, indexes: readonly number[]) => Promise<void>;
  readonly discardInputs: (batchId: string, images: number) => Promise<void>;
  readonly erase: Erase;
  /** One attempt. */
  readonly deliverWebhook: (
    snapshot: Snapshot,
    to: { readonly url: string; readonly endpointId?: string },
    sentBy: SentBy,
  ) => Promise<KeptAttempt>;
  /** Throws nothing. */
  readonly noteAttempt: (accountId: string, attempt: KeptAttempt) => Promise<void>;
};

/** The batch an effect is run for, as it is now. */
export type EffectSubject = { readonly batch: Batch; readonly context: BatchContext };

/** The effects that end at the saga's own object. */
export type OwnEffect = Extract<BatchEffect, { type: 'announce' | 'forget' | 'deliver_webhook' }>;

/** The ledger's part of a call is done before the caller is answered; nobody waits for anything else. */
export const isAwaited = ({ type }: BatchEffect): boolean => type === 'ask_hold' || type === 'settle';

export const runEffect = async (
  services: SagaServices,
  effect: Exclude<BatchEffect, OwnEffect>,
  { batch, context }: EffectSubject,
): Promise<BatchCommand | Settled | undefined> => {
  const { accountId, batchId } = context;
  const ledger = services.ledgerOf(accountId);
  switch (effect.type) {
    case 'ask_hold':
      return askHold(ledger, { ...context, ...batch });
    case 'release_hold':
      await ledger.release(batchId);
      return { type: 'released' };
    case 'dispatch':
      await services.enqueue(accountId, batchId, effect.indexes);
      return undefined;
    case 'settle':
      return settle(ledger, batch, context, effect.settlements);
    case 'discard_inputs':
      await services.discardInputs(batchId, batch.images);
      return undefined;
  }
};

type AskedHold = Pick<BatchContext, 'batchId' | 'keyId' | 'mode' | 'options'> & Pick<Batch, 'images' | 'style'>;

export const askHold = async (
  ledger: LedgerPort,
  { batchId, keyId, mode, options, images, style }: AskedHold,
): Promise<HoldAnswered> => {
  const reply = await ledger.hold({ batchId, images, keyId, mode, style, marketplaces: marketplacesOf(options) });
  const answer = reply.result === 'held' || reply.result === 'already_held' ? 'held' : 'refused';
  const available = 'available' in reply ? reply.available : await availableCredits(ledger);
  const refused = {
    ...(reply.result === 'cap_reached' && { capReached: reply.cap }),
    ...(reply.result === 'key_revoked' && { isKeyRevoked: true as const }),
  };
  // An account's object of the version before says nothing of it.
  const { window, retentionDays = null } = reply;
  return { type: 'hold_answered', answer, available, window, retentionDays, ...refused };
};

export const availableCredits = async (ledger: Pick<LedgerPort, 'summary'>): Promise<number> =>
  (await ledger.summary())?.available ?? 0;

/** What a batch's end is answered with. */
type Settled = Extract<BatchCommand, { type: 'settled' }> & { readonly available: number };

const settle = async (
  ledger: LedgerPort,
  batch: Batch,
  { requestId }: BatchContext,
  settlements: readonly Settlement[],
): Promise<Settled> => {
  const { batchId } = batch;
  const reply = await ledger.settle(batchId, settlements, inFlight(batch), endedBatch(batch, requestId));
  const { replies, available, window } = reply;
  for (const [i, { result }] of replies.entries()) {
    const settlement = settlements[i];
    if (settlement && result !== settlement.as && result !== `already_${settlement.as}`)
      logEvent('error', 'settled_otherwise', { batch_id: batchId, ...settlement, result });
  }
  return { type: 'settled', indexes: settlements.map(({ index }) => index), window, available };
};

/** An upload's slot has the name of its request. */
const endedBatch = (batch: Batch, requestId: string): EndedBatch | undefined => {
  const { batchId, style, images, completed, failed, unheard, completedAtMs } = batch;
  const status = batchStatus(batch);
  if (completedAtMs === null || status === 'queued' || status === 'processing') return undefined;
  return {
    batchId,
    status,
    images,
    completed,
    failed,
    ...(unheard > 0 && { unheard }),
    atMs: completedAtMs,
    ...(style === 'upload' && { slot: requestId }),
  };
};
