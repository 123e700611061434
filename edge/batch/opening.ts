/** The beginning of a batch: its hold is asked for, and written down with it. */
import { nextUtcDayMs } from '../../shared/clock.ts';
import { errorText, logEvent } from '../log.ts';
import { migrate } from '../sqlite/rows.ts';
import { askHold, availableCredits } from './effects.ts';
import type { BatchReply, HoldAnswered } from './machine/types.ts';
import type { OpenBatch, OpenReply } from './port.ts';
import { contextOf, saveRequest } from './rows.ts';
import type { Decided, SagaCore } from './saga-core.ts';
import { batchSchema, batchTables } from './schema.ts';

export const createOpening = ({ storage, now, services, batch: stored, execute, runForCaller, defer }: SagaCore) => {
  /** The ledger refused the hold for that, as this instance heard. */
  let isKeyRevoked = false;
  /** Calls of `open` that wait for the ledger. */
  let asking = 0;

  /**
   * Nothing is written before the ledger has answered. Were this object to die meanwhile, a repeated call finds the hold
   * again; without one the ledger soon asks, hears that the batch is unknown, and returns the credits.
   */
  const open = async (request: OpenBatch): Promise<OpenReply> => {
    const before = notToOpen(request);
    if (before) return before;
    if (stored()) {
      const [answered] = await runForCaller(create(request, undefined).effects);
      return replyOf(request, answered);
    }
    asking++;
    const answer = await ask(request).finally(() => void asking--);
    isKeyRevoked ||= answer?.isKeyRevoked === true;
    const meanwhile = notToOpen(request);
    if (meanwhile) {
      if (meanwhile.result === 'given_up') await releaseHold(request);
      return meanwhile;
    }
    try {
      const { reply, effects } = create(request, answer);
      defer(effects);
      return await replyOf(request, reply);
    } catch (error) {
      // A repeated call may have opened it, or may be about to.
      if (!stored() && asking === 0) await releaseHold(request);
      throw error;
    }
  };

  const notToOpen = ({ fingerprint }: OpenBatch): OpenReply | undefined => {
    const batch = stored();
    if (batch?.isGivenUp) return { result: 'given_up' };
    return batch && contextOf(storage.sql).fingerprint !== fingerprint ? { result: 'fingerprint_mismatch' } : undefined;
  };

  const create = (request: OpenBatch, answer: HoldAnswered | undefined): Decided => {
    migrate(storage, batchSchema, batchTables);
    const { batchId, style, images, deadlineAtMs, webhookUrl } = request;
    const webhook = webhookUrl !== null;
    const command = { type: 'create', batchId, style, images: images.length, deadlineAtMs, webhook, answer } as const;
    return execute(command, () => saveRequest(storage.sql, request));
  };

  /** What this cannot return, the ledger does once it has asked. */
  const releaseHold = async ({ accountId, batchId }: OpenBatch): Promise<void> => {
    await services
      .ledgerOf(accountId)
      .release(batchId)
      .catch((error: unknown) => logEvent('warn', 'hold_not_released', { batch_id: batchId, error: errorText(error) }));
  };

  /** Undefined where the ledger did not answer; the alarm asks it again. */
  const ask = ({ accountId, ...batch }: OpenBatch): Promise<HoldAnswered | undefined> =>
    askHold(services.ledgerOf(accountId), { ...batch, images: batch.images.length }).catch((error: unknown) => {
      logEvent('warn', 'effect_failed', { effect: 'ask_hold', batch_id: batch.batchId, error: errorText(error) });
      return undefined;
    });

  /** `answered`: what the ledger's answer to this call made of the batch, undefined where it was not asked or silent. */
  const replyOf = async (
    { accountId, mode, images }: OpenBatch,
    answered: BatchReply | undefined,
  ): Promise<OpenReply> => {
    const batch = stored();
    if (batch?.isGivenUp) return { result: 'given_up' };
    const hold = batch?.hold;
    const known = answered?.result === 'opened' || answered?.result === 'refused' ? answered.available : null;
    if (hold === 'asking') return { result: 'ledger_silent' };
    if (hold !== 'refused') return { result: 'opened', available: known };
    if (batch?.capReached) return { result: 'cap_reached', cap: batch.capReached };
    if (isKeyRevoked) return { result: 'key_revoked' };
    if (mode === 'test') return { result: 'quota_exceeded', retryAfterMs: nextUtcDayMs(now()) - now() };
    const available = known ?? (await creditsOf(accountId));
    return available === undefined
      ? { result: 'ledger_silent' }
      : { result: 'refused', available, required: images.length };
  };
  const creditsOf = (accountId: string): Promise<number | undefined> =>
    availableCredits(services.ledgerOf(accountId)).catch(() => undefined);

  return {
    open,
    isAsking: (): boolean => asking > 0,
    noteKeyRevoked: (): void => {
      isKeyRevoked = true;
    },
  };
};
