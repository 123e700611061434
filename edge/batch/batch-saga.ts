/**
 * BatchSaga: one Durable Object per batch, a thin shell over machine/batch.ts. Each command loads, decides and saves in
 * one synchronous transaction with no await in it; only then are the effects run. What an effect fails to do, the alarm
 * does again.
 */
import { DurableObject } from 'cloudflare:workers';
import type { Outcome } from '../../shared/job.ts';
import { type Alarm, createAlarm, earliest } from '../alarm.ts';
import type { EdgeEnv } from '../env.ts';
import { edgeLimits } from '../limits.ts';
import { logEvent } from '../log.ts';
import { isMigrated, migrate } from '../sqlite/rows.ts';
import { createWaiters } from '../waiters.ts';
import { deliveredImages } from './delivered.ts';
import { isAwaited, runEffect, type SagaServices } from './effects.ts';
import { createEndOfLife } from './end-of-life.ts';
import { decide, isOpen, isOver, nextWakeMs } from './machine/batch.ts';
import { isKeptOnce } from './machine/retention.ts';
import type { Batch, BatchCommand, BatchEffect, BatchReply, PostponeReason } from './machine/types.ts';
import { createOpening } from './opening.ts';
import type {
  BatchOwner,
  EndedForKey,
  OpenBatch,
  OpenReply,
  RecordReply,
  RemoveReply,
  ResendReply,
  SagaPort,
  SentRequest,
  Snapshot,
  StartReply,
} from './port.ts';
import { nextRemovalMs, removedImages } from './removal.ts';
import { batchView, contextOf, jobOf, saveDecision, sentOf, snapshotOf } from './rows.ts';
import type { Decided, SagaCore } from './saga-core.ts';
import { batchSchema, batchTables } from './schema.ts';
import { createWebhook } from './webhook.ts';

export type { SagaServices } from './effects.ts';

export class BatchSaga extends DurableObject<EdgeEnv> implements SagaPort {
  /** Replaced by tests. */
  now: () => number = () => Date.now();
  readonly #services: SagaServices;
  /** For the end of the batch. */
  readonly #waiters = createWaiters(edgeLimits.batch.waitersMax);
  /** Credits of the account as this instance heard last; null where it heard nothing. */
  #available: number | null = null;
  readonly #alarm: Alarm;
  readonly #opening: ReturnType<typeof createOpening>;
  readonly #endOfLife: ReturnType<typeof createEndOfLife>;
  readonly #webhook: ReturnType<typeof createWebhook>;

  constructor(ctx: DurableObjectState, env: EdgeEnv, services: SagaServices) {
    super(ctx, env);
    this.#services = services;
    // Asking about a batch that does not exist writes nothing.
    if (isMigrated(ctx.storage.sql)) migrate(ctx.storage, batchSchema);
    const now = (): number => this.now();
    const core: SagaCore = {
      storage: ctx.storage,
      now,
      services,
      batch: () => this.#batch(),
      snapshot: () => this.#snapshot(),
      execute: (...command) => this.#execute(...command),
      runForCaller: (effects) => this.#runForCaller(effects),
      defer: (effects) => this.#defer(effects),
      arm: () => void this.#alarm.arm(),
    };
    this.#opening = createOpening(core);
    this.#endOfLife = createEndOfLife(core);
    this.#webhook = createWebhook(core);
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
      this.#endOfLife.noteDecided(decided);
      alsoSave?.(decided.reply);
      return decided;
    });
    void this.#alarm.arm();
    return decision;
  }

  #dueMs(): number {
    if (!isMigrated(this.#sql)) return Number.POSITIVE_INFINITY;
    return earliest(nextWakeMs(batchView(this.#sql)), nextRemovalMs(this.#sql), this.#endOfLife.expiryMs());
  }

  async open(request: OpenBatch): Promise<OpenReply> {
    return this.#opening.open(request);
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
    const { reply, effects } = this.#execute({ type: 'record', index, outcome });
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

  async sent(max: number): Promise<SentRequest | undefined> {
    const batch = this.#batch();
    return batch && isOpen(batch) && batch.removedAtMs === null ? sentOf(this.#sql, max) : undefined;
  }

  async settleNow(): Promise<'known' | 'unknown'> {
    const batch = this.#batch();
    if (!batch && this.#opening.isAsking()) return 'known';
    if (!batch || batch.hold === 'refused') return 'unknown';
    await this.alarm();
    return 'known';
  }

  async endForKey(keyId: string): Promise<EndedForKey> {
    const batch = this.#batch();
    if (!batch || batch.hold === 'refused') return this.#opening.isAsking() ? 'asking' : 'unknown';
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

  async resendWebhook(): Promise<ResendReply> {
    return this.#webhook.resend();
  }
  async sendToEndpoint(...to: Parameters<SagaPort['sendToEndpoint']>) {
    return this.#webhook.sendToEndpoint(...to);
  }
  async remove(index: number | null): Promise<RemoveReply> {
    return this.#endOfLife.remove(index);
  }
  async noteDelivered(...objectKeys: string[]): Promise<void> {
    for (const objectKey of objectKeys) this.#endOfLife.noteDownload(objectKey);
  }

  override async alarm(): Promise<void> {
    await this.#alarm.run({
      expiry: () => this.#endOfLife.expire(),
      removals: () => this.#endOfLife.run(),
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
    if (effect.type === 'deliver_webhook') return this.#webhook.attempt();
    const batch = this.#batch();
    if (!batch) return undefined;
    const answer = await runEffect(this.#services, effect, { batch, context: contextOf(this.#sql) });
    if (!answer) return undefined;
    if (answer.type === 'hold_answered' && answer.isKeyRevoked) this.#opening.noteKeyRevoked();
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
    if (nextRemovalMs(this.#sql) !== null) await this.#endOfLife.run();
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }
}
