/**
 * BatchSaga: one Durable Object per batch, a thin shell over machine/batch.ts. Each command loads, decides and saves in
 * one synchronous transaction with no await in it; only then are the effects run. What an effect fails to do, the alarm
 * does again.
 */
import { DurableObject } from 'cloudflare:workers';
import { nextUtcDayMs } from '../../shared/clock.ts';
import type { Outcome } from '../../shared/job.ts';
import { type Alarm, createAlarm, earliest } from '../alarm.ts';
import type { EdgeEnv } from '../env.ts';
import { edgeLimits } from '../limits.ts';
import { errorText, logEvent } from '../log.ts';
import { isMigrated, migrate } from '../sqlite/rows.ts';
import { indexOfObject } from '../stores/object-keys.ts';
import { createWaiters } from '../waiters.ts';
import { deliveredImages, isOutput, noteDelivered } from './delivered.ts';
import { askHold, availableCredits, isAwaited, runEffect, type SagaServices } from './effects.ts';
import { decide, isOpen, isOver, nextWakeMs } from './machine/batch.ts';
import { isKeptOnce, resultsUntilMs } from './machine/retention.ts';
import type { Batch, BatchCommand, BatchEffect, BatchReply, HoldAnswered, PostponeReason } from './machine/types.ts';
import type {
  BatchOwner,
  EndedForKey,
  OpenBatch,
  OpenReply,
  RecordReply,
  RemoveReply,
  SagaPort,
  Snapshot,
  StartReply,
} from './port.ts';
import {
  isBeingRemoved,
  nextRemovalMs,
  noteRemoval,
  type RemovalKind,
  removedImages,
  runNewRemoval,
  runRemovals,
} from './removal.ts';
import { batchView, contextOf, forget, jobOf, saveDecision, saveRequest, snapshotOf } from './rows.ts';
import { batchSchema, batchTables } from './schema.ts';

export type { SagaServices } from './effects.ts';

type Decided = { readonly reply: BatchReply; readonly effects: readonly BatchEffect[] };

export class BatchSaga extends DurableObject<EdgeEnv> implements SagaPort {
  /** Replaced by tests. */
  now: () => number = () => Date.now();
  readonly #services: SagaServices;
  /** For the end of the batch. */
  readonly #waiters = createWaiters(edgeLimits.batch.waitersMax);
  /** Credits of the account as this instance heard last; null where it heard nothing. */
  #available: number | null = null;
  readonly #alarm: Alarm;
  /** The ledger refused the hold for that, as this instance heard. */
  #isKeyRevoked = false;
  /** Calls of `open` that wait for the ledger. */
  #asking = 0;

  constructor(ctx: DurableObjectState, env: EdgeEnv, services: SagaServices) {
    super(ctx, env);
    this.#services = services;
    // Asking about a batch that does not exist writes nothing.
    if (isMigrated(ctx.storage.sql)) migrate(ctx.storage, batchSchema);
    const now = (): number => this.now();
    this.#alarm = createAlarm('batch', ctx.storage, now, () => this.#dueMs());
    void ctx.blockConcurrencyWhile(() => this.#alarm.start());
  }

  get #sql(): SqlStorage {
    return this.ctx.storage.sql;
  }
  #batch(): Batch | undefined {
    return isMigrated(this.#sql) ? batchView(this.#sql).batch() : undefined;
  }

  /** Load, decide, save: one transaction, no await. `alsoSave` is part of it. */
  #execute(command: BatchCommand, onCreated?: () => void, alsoSave?: (reply: BatchReply) => void): Decided {
    const view = batchView(this.#sql);
    const decision = this.ctx.storage.transactionSync(() => {
      const isNew = view.batch() === undefined;
      const decided = decide(view, command, this.now(), Math.random());
      if (isNew) onCreated?.();
      saveDecision(this.#sql, decided);
      alsoSave?.(decided.reply);
      return decided;
    });
    void this.#alarm.arm();
    return decision;
  }

  #dueMs(): number {
    if (!isMigrated(this.#sql)) return Number.POSITIVE_INFINITY;
    return earliest(nextWakeMs(batchView(this.#sql)), nextRemovalMs(this.#sql), this.#expiryMs());
  }

  /**
   * Nothing is written before the ledger has answered. Were this object to die meanwhile, a repeated call finds the hold
   * again; without one the ledger soon asks, hears that the batch is unknown, and returns the credits.
   */
  async open(request: OpenBatch): Promise<OpenReply> {
    const before = this.#notToOpen(request);
    if (before) return before;
    if (this.#batch()) {
      const [answered] = await this.#runForCaller(this.#create(request, undefined).effects);
      return this.#openReply(request, answered);
    }
    this.#asking++;
    const answer = await this.#askHold(request).finally(() => void this.#asking--);
    this.#isKeyRevoked ||= answer?.isKeyRevoked === true;
    const meanwhile = this.#notToOpen(request);
    if (meanwhile) {
      if (meanwhile.result === 'given_up') await this.#releaseHold(request);
      return meanwhile;
    }
    try {
      const { reply, effects } = this.#create(request, answer);
      this.#defer(effects);
      return await this.#openReply(request, reply);
    } catch (error) {
      // A repeated call may have opened it, or may be about to.
      if (!this.#batch() && this.#asking === 0) await this.#releaseHold(request);
      throw error;
    }
  }

  #notToOpen({ fingerprint }: OpenBatch): OpenReply | undefined {
    const batch = this.#batch();
    if (batch?.isGivenUp) return { result: 'given_up' };
    return batch && contextOf(this.#sql).fingerprint !== fingerprint ? { result: 'fingerprint_mismatch' } : undefined;
  }

  #create(request: OpenBatch, answer: HoldAnswered | undefined): Decided {
    migrate(this.ctx.storage, batchSchema, batchTables);
    const { batchId, style, images, deadlineAtMs, webhookUrl } = request;
    const webhook = webhookUrl !== null;
    const command = { type: 'create', batchId, style, images: images.length, deadlineAtMs, webhook, answer } as const;
    return this.#execute(command, () => saveRequest(this.#sql, request));
  }

  /** What this cannot return, the ledger does once it has asked. */
  async #releaseHold({ accountId, batchId }: OpenBatch): Promise<void> {
    await this.#services
      .ledgerOf(accountId)
      .release(batchId)
      .catch((error: unknown) => logEvent('warn', 'hold_not_released', { batch_id: batchId, error: errorText(error) }));
  }

  /** Undefined where the ledger did not answer; the alarm asks it again. */
  #askHold({ accountId, ...batch }: OpenBatch): Promise<HoldAnswered | undefined> {
    return askHold(this.#services.ledgerOf(accountId), { ...batch, images: batch.images.length }).catch(
      (error: unknown) => {
        logEvent('warn', 'effect_failed', { effect: 'ask_hold', batch_id: batch.batchId, error: errorText(error) });
        return undefined;
      },
    );
  }

  /** `answered`: what the ledger's answer to this call made of the batch, undefined where it was not asked or silent. */
  async #openReply({ accountId, mode, images }: OpenBatch, answered: BatchReply | undefined): Promise<OpenReply> {
    const batch = this.#batch();
    if (batch?.isGivenUp) return { result: 'given_up' };
    const hold = batch?.hold;
    const known = answered?.result === 'opened' || answered?.result === 'refused' ? answered.available : null;
    if (hold === 'asking') return { result: 'ledger_silent' };
    if (hold !== 'refused') return { result: 'opened', available: known };
    if (batch?.capReached) return { result: 'cap_reached', cap: batch.capReached };
    if (this.#isKeyRevoked) return { result: 'key_revoked' };
    if (mode === 'test') return { result: 'quota_exceeded', retryAfterMs: nextUtcDayMs(this.now()) - this.now() };
    const available = known ?? (await this.#availableCredits(accountId));
    return available === undefined
      ? { result: 'ledger_silent' }
      : { result: 'refused', available, required: images.length };
  }
  async #availableCredits(accountId: string): Promise<number | undefined> {
    return availableCredits(this.#services.ledgerOf(accountId)).catch(() => undefined);
  }

  async giveUp(batchId: string): Promise<'opened' | 'dropped' | 'removed'> {
    if (this.#batch()?.removedAtMs) return 'removed';
    migrate(this.ctx.storage, batchSchema, batchTables);
    const { reply, effects } = this.#execute({ type: 'give_up', batchId });
    this.#defer(effects);
    return reply.result === 'opened' ? 'opened' : 'dropped';
  }

  async start(index: number): Promise<StartReply> {
    const batch = this.#batch();
    if (!batch || batch.removedAtMs !== null) return { result: 'unknown_batch' };
    const { reply } = this.#execute({ type: 'start', index });
    switch (reply.result) {
      case 'run':
        return { result: 'run', job: jobOf(this.#sql, batch, index) };
      case 'already_decided':
        return reply;
      case 'busy':
      case 'late':
      case 'not_open':
      case 'unknown_image':
        return { result: reply.result };
      default:
        throw new Error(`start answered ${reply.result}`);
    }
  }

  async postpone(index: number, retryAtMs: number, because: PostponeReason): Promise<BatchReply> {
    if (this.#batch()?.removedAtMs !== null) return { result: 'unknown_batch' };
    return this.#executeFor({ type: 'postpone', index, retryAtMs, because });
  }

  async record(index: number, outcome: Outcome): Promise<RecordReply> {
    if (this.#batch()?.removedAtMs !== null) return { result: 'unknown_batch' };
    const { reply, effects } = this.#execute({ type: 'record', index, outcome }, undefined, ({ result }) => {
      const batch = this.#batch();
      if (result === 'recorded' && batch && isKeptOnce(batch))
        noteRemoval(this.#sql, 'inputs', index, this.now(), 'alarm');
    });
    await this.#runForCaller(effects);
    const batch = this.#batch();
    return reply.result === 'recorded' && batch?.style === 'upload' && isOver(batch)
      ? { ...reply, ended: { batch: this.#snapshot(), available: this.#available } }
      : reply;
  }

  async snapshot({
    waitMs = 0,
    evenAsking = false,
  }: {
    waitMs?: number;
    evenAsking?: boolean;
  } = {}): Promise<Snapshot | undefined> {
    const batch = this.#batch();
    if (batch) void this.#alarm.arm();
    if (!batch || batch.hold === 'refused' || (batch.hold === 'asking' && !evenAsking)) return undefined;
    if (batch.removedAtMs !== null) return undefined;
    if (waitMs > 0 && !isOver(batch)) await this.#waiters.wait(waitMs);
    return this.#batch()?.removedAtMs === null ? this.#snapshot() : undefined;
  }

  #snapshot(): Snapshot {
    const batch = this.#batch();
    if (!batch) throw new Error('a snapshot of no batch');
    return snapshotOf(this.#sql, batch);
  }

  async settleNow(): Promise<'known' | 'unknown'> {
    const batch = this.#batch();
    if (!batch && this.#asking > 0) return 'known';
    if (!batch || batch.hold === 'refused') return 'unknown';
    await this.alarm();
    return 'known';
  }

  async endForKey(keyId: string): Promise<EndedForKey> {
    const batch = this.#batch();
    if (!batch || batch.hold === 'refused') return this.#asking > 0 ? 'asking' : 'unknown';
    if (contextOf(this.#sql).keyId !== keyId) return 'other_key';
    if (batch.hold === 'asking') return 'asking';
    this.#defer(this.#execute({ type: 'end', reason: 'key_revoked' }).effects);
    return 'ended';
  }

  async owner(): Promise<BatchOwner | undefined> {
    const batch = this.#batch();
    if (!batch || batch.hold === 'refused') return undefined;
    const { accountId, keyId, options } = contextOf(this.#sql);
    if (batch.removedAtMs !== null) return { accountId, keyId, removed: 'batch', isKeptOnce: false, delivered: [] };
    return {
      accountId,
      keyId,
      removed: removedImages(this.#sql),
      isKeptOnce: isKeptOnce(batch),
      delivered: isKeptOnce(batch) ? deliveredImages(this.#sql, options) : [],
    };
  }

  async remove(index: number | null): Promise<RemoveReply> {
    if (!this.#batch()) return 'unknown';
    const before = this.#batch()?.removedAtMs ?? null;
    const { reply } = this.#execute({ type: 'remove', index }, undefined, ({ result }) => {
      if (result !== 'removed' || before !== null) return;
      if (index !== null && removedImages(this.#sql).includes(index)) return;
      forget(this.#sql, index, this.now());
      noteRemoval(this.#sql, 'everything', index, this.now(), 'caller');
    });
    if (reply.result === 'in_progress') return 'running';
    if (reply.result !== 'removed') return 'unknown';
    const removed = before === null ? index : null;
    await runNewRemoval(this.#sql, removed, () => this.now(), this.#erase());
    void this.#alarm.arm();
    return isBeingRemoved(this.#sql, removed) ? 'removing' : 'removed';
  }

  async #runRemovals(): Promise<boolean> {
    return this.#batch() !== undefined && runRemovals(this.#sql, () => this.now(), this.#erase());
  }
  #erase(): (index: number | null, what: RemovalKind) => ReturnType<SagaServices['erase']> {
    const { batchId, images } = this.#batch() ?? { batchId: '', images: 0 };
    const { accountId } = contextOf(this.#sql);
    return (index, what) => this.#services.erase({ batchId, accountId, index, images, what });
  }

  async noteDelivered(objectKey: string): Promise<void> {
    const batch = this.#batch();
    if (!batch || batch.removedAtMs !== null || !isKeptOnce(batch)) return;
    const output = { ...contextOf(this.#sql), index: indexOfObject(objectKey) };
    if (!isOutput(output, objectKey)) return;
    this.ctx.storage.transactionSync(() => {
      if (noteDelivered(this.#sql, output, objectKey))
        noteRemoval(this.#sql, 'files', output.index, this.now(), 'alarm');
    });
    void this.#alarm.arm();
  }

  /** At the end of their life the files go, all at once. */
  #expire(): void {
    if ((this.#expiryMs() ?? Number.POSITIVE_INFINITY) > this.now()) return;
    this.ctx.storage.transactionSync(() => {
      this.#sql.exec('update batch set expiredAtMs = ?', this.now());
      noteRemoval(this.#sql, 'files', null, this.now(), 'alarm');
    });
  }
  #expiryMs(): number | null {
    const batch = this.#batch();
    return batch && isOpen(batch) && batch.expiredAtMs === null && batch.removedAtMs === null
      ? resultsUntilMs(batch)
      : null;
  }

  override async alarm(): Promise<void> {
    await this.#alarm.run({
      expiry: () => this.#expire(),
      removals: () => this.#runRemovals(),
      tick: () => this.#tick(),
    });
  }
  async #tick(): Promise<void> {
    if (this.#batch()) await this.#runEffects(this.#execute({ type: 'tick' }).effects);
  }

  /** Effects of a caller's command: what the caller waits for, then its replies; the rest after the caller is answered. */
  #runForCaller(effects: readonly BatchEffect[]): Promise<readonly (BatchReply | undefined)[]> {
    this.#defer(effects.filter((effect) => !isAwaited(effect)));
    return this.#runEffects(effects.filter(isAwaited));
  }

  #defer(effects: readonly BatchEffect[]): void {
    if (effects.length > 0) this.#afterReply(() => this.#runEffects(effects));
  }

  /** Whatever is written before a reply delays it until the disk has it; this is written after. */
  #afterReply(work: () => unknown): void {
    this.ctx.waitUntil(new Promise((resolve) => setTimeout(resolve, 0)).then(work));
  }

  /** One reply per effect: what the batch made of its answer, undefined where there was none. Throws nothing. */
  #runEffects(effects: readonly BatchEffect[]): Promise<readonly (BatchReply | undefined)[]> {
    return Promise.all(
      effects.map((effect) =>
        this.#runEffect(effect).catch((error: unknown) => {
          logEvent('warn', 'effect_failed', {
            effect: effect.type,
            batch_id: this.#batch()?.batchId,
            error: String(error),
          });
          return undefined;
        }),
      ),
    );
  }

  async #runEffect(effect: BatchEffect): Promise<BatchReply | undefined> {
    if (effect.type === 'announce') return void this.#waiters.wake();
    if (effect.type === 'forget') return this.#forget();
    const batch = this.#batch();
    if (!batch) return undefined;
    const subject = { batch, context: contextOf(this.#sql), snapshot: () => this.#snapshot() };
    const answer = await runEffect(this.#services, effect, subject);
    if (!answer) return undefined;
    this.#isKeyRevoked ||= answer.type === 'hold_answered' && answer.isKeyRevoked === true;
    // Noting what the ledger has confirmed may come after the caller's reply: if it is lost, the alarm settles again.
    if (answer.type === 'settled') {
      if ('available' in answer) this.#available = answer.available;
      this.#afterReply(() => this.#runEffects(this.#execute(answer).effects));
      return undefined;
    }
    return this.#executeFor(answer);
  }
  /** What follows from it is done after the caller's reply. */
  #executeFor(command: BatchCommand): BatchReply {
    const { reply, effects } = this.#execute(command);
    this.#defer(effects);
    return reply;
  }

  async #forget(): Promise<undefined> {
    if (nextRemovalMs(this.#sql) !== null) await this.#runRemovals();
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }
}
