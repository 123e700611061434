/**
 * BatchSaga: one Durable Object per batch, a thin shell over machine/batch.ts. Each command loads, decides and saves in
 * one synchronous transaction with no await in it; only then are the effects run. What an effect fails to do, the alarm
 * does again.
 */
import { DurableObject } from 'cloudflare:workers';
import { nextUtcDayMs, systemClock, withTimeout } from '../../shared/clock.ts';
import type { Outcome } from '../../shared/job.ts';
import { type Alarm, createAlarm } from '../alarm.ts';
import type { EdgeEnv } from '../env.ts';
import { edgeLimits } from '../limits.ts';
import { errorText, logEvent } from '../log.ts';
import { isMigrated, migrate } from '../sqlite/rows.ts';
import { askHold, availableCredits, isAwaited, runEffect, type SagaServices } from './effects.ts';
import { decide, isOver, nextWakeMs } from './machine/batch.ts';
import type { Batch, BatchCommand, BatchEffect, BatchReply, PostponeReason } from './machine/types.ts';
import type { OpenBatch, OpenReply, RecordReply, SagaPort, Snapshot, StartReply } from './port.ts';
import { batchView, contextOf, jobOf, saveDecision, saveRequest, snapshotOf } from './rows.ts';
import { batchSchema, batchTables } from './schema.ts';

export type { SagaServices } from './effects.ts';

type HeldAnswer = Extract<BatchCommand, { type: 'hold_answered' }>;
type Decided = { readonly reply: BatchReply; readonly effects: readonly BatchEffect[] };

export class BatchSaga extends DurableObject<EdgeEnv> implements SagaPort {
  /** Replaced by tests. */
  now: () => number = () => Date.now();
  readonly #services: SagaServices;
  readonly #waiters = new Set<() => void>();
  /** Credits of the account as this instance heard last; null where it heard nothing. */
  #available: number | null = null;
  readonly #alarm: Alarm;

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

  /** Load, decide, save: one transaction, no await. */
  #execute(command: BatchCommand, onCreated?: () => void): Decided {
    const view = batchView(this.#sql);
    const decision = this.ctx.storage.transactionSync(() => {
      const decided = decide(view, command, this.now(), Math.random());
      if (decided.reply.result === 'created') onCreated?.();
      saveDecision(this.#sql, decided);
      return decided;
    });
    void this.#alarm.arm();
    return decision;
  }

  #dueMs(): number {
    return (isMigrated(this.#sql) ? nextWakeMs(batchView(this.#sql)) : null) ?? Number.POSITIVE_INFINITY;
  }

  async open(request: OpenBatch): Promise<OpenReply> {
    const earlier = this.#batch();
    if (earlier?.isGivenUp) return { result: 'given_up' };
    if (earlier && contextOf(this.#sql).fingerprint !== request.fingerprint) return { result: 'fingerprint_mismatch' };
    // Asked before anything is written: what is sent after a write waits until the disk has it.
    const asked = earlier ? undefined : this.#askHold(request);
    const { effects } = await this.#create(request).catch(async (error: unknown) => {
      if (await asked) await this.#services.ledgerOf(request.accountId).release(request.batchId);
      throw error;
    });
    if (!asked) return this.#openReply(request, (await this.#runForCaller(effects))[0]);
    const answer = await asked;
    return this.#openReply(request, answer && this.#executeFor(answer));
  }

  async #create(request: OpenBatch): Promise<Decided> {
    migrate(this.ctx.storage, batchSchema, batchTables);
    const { batchId, style, images, deadlineAtMs, webhookUrl } = request;
    const webhook = webhookUrl !== null;
    const command = { type: 'create', batchId, style, images: images.length, deadlineAtMs, webhook } as const;
    return this.#execute(command, () => saveRequest(this.#sql, request));
  }

  /** Undefined where the ledger did not answer; the alarm asks it again. */
  #askHold({ accountId, ...batch }: OpenBatch): Promise<HeldAnswer | undefined> {
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
    if (mode === 'test') return { result: 'quota_exceeded', retryAfterMs: nextUtcDayMs(this.now()) - this.now() };
    const available = known ?? (await this.#availableCredits(accountId));
    return available === undefined
      ? { result: 'ledger_silent' }
      : { result: 'refused', available, required: images.length };
  }
  async #availableCredits(accountId: string): Promise<number | undefined> {
    return availableCredits(this.#services.ledgerOf(accountId)).catch(() => undefined);
  }

  async giveUp(batchId: string): Promise<'opened' | 'dropped'> {
    migrate(this.ctx.storage, batchSchema, batchTables);
    const { reply, effects } = this.#execute({ type: 'give_up', batchId });
    this.#defer(effects);
    return reply.result === 'opened' ? 'opened' : 'dropped';
  }

  async start(index: number): Promise<StartReply> {
    const batch = this.#batch();
    if (!batch) return { result: 'unknown_batch' };
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
    if (!this.#batch()) return { result: 'unknown_batch' };
    return this.#execute({ type: 'postpone', index, retryAtMs, because }).reply;
  }

  async record(index: number, outcome: Outcome): Promise<RecordReply> {
    if (!this.#batch()) return { result: 'unknown_batch' };
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
    if (waitMs > 0 && !isOver(batch) && this.#waiters.size < edgeLimits.batch.waitersMax) await this.#ended(waitMs);
    return this.#snapshot();
  }

  /** Resolves when the batch has ended or after `waitMs`. No storage is read meanwhile. */
  async #ended(waitMs: number): Promise<void> {
    let wake = (): void => {};
    const ended = new Promise<void>((resolve) => {
      wake = resolve;
    });
    this.#waiters.add(wake);
    await withTimeout(ended, waitMs, systemClock);
    this.#waiters.delete(wake);
  }

  #snapshot(): Snapshot {
    const batch = this.#batch();
    if (!batch) throw new Error('a snapshot of no batch');
    return snapshotOf(this.#sql, batch);
  }

  async settleNow(): Promise<'known' | 'unknown'> {
    const batch = this.#batch();
    if (!batch || batch.hold === 'refused') return 'unknown';
    await this.alarm();
    return 'known';
  }

  override async alarm(): Promise<void> {
    await this.#alarm.run({ tick: () => this.#tick() });
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
    if (effect.type === 'announce') return this.#wakeWaiters();
    if (effect.type === 'forget') return this.#forget();
    const batch = this.#batch();
    if (!batch) return undefined;
    const subject = { batch, context: contextOf(this.#sql), snapshot: () => this.#snapshot() };
    const answer = await runEffect(this.#services, effect, subject);
    if (!answer) return undefined;
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

  #wakeWaiters(): undefined {
    for (const wake of [...this.#waiters]) wake();
  }

  async #forget(): Promise<undefined> {
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }
}
