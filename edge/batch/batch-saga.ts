/**
 * BatchSaga: one Durable Object per batch, a thin shell over batch.ts. Each command loads, decides and saves in one
 * synchronous transaction with no await
 * in it; only then are the effects carried out. What an effect fails to do, the alarm does again.
 */
import { DurableObject } from 'cloudflare:workers';
import { imageId } from '../../shared/ids.ts';
import type { Outcome } from '../../shared/job.ts';
import { limits } from '../../shared/limits.ts';
import type { EndedBatch, LedgerPort } from '../account/port.ts';
import type { EdgeEnv } from '../env.ts';
import { logEvent } from '../log.ts';
import { isMigrated, migrate } from '../sqlite/rows.ts';
import { batchStatus, decide, isOver, nextWakeMs } from './machine/batch.ts';
import type { Batch, BatchCommand, BatchEffect, BatchReply, Settlement } from './machine/types.ts';
import type { OpenBatch, OpenReply, SagaPort, Snapshot, StartReply } from './port.ts';
import { batchView, contextOf, inputOf, saveDecision, saveInputs, snapshotImages } from './rows.ts';
import { batchSchema } from './schema.ts';

/** What a saga reaches outside itself. */
export type SagaServices = {
  readonly ledgerOf: (accountId: string) => LedgerPort;
  readonly enqueue: (imageIds: readonly string[]) => Promise<void>;
  readonly discardInputs: (batchId: string, images: number) => Promise<void>;
  /** One attempt. Throws nothing. */
  readonly deliverWebhook: (snapshot: Snapshot, url: string) => Promise<'delivered' | 'gone' | 'failed'>;
};

export class BatchSagaShell extends DurableObject<EdgeEnv> implements SagaPort {
  /** Replaced by tests. */
  now: () => number = () => Date.now();
  readonly #services: SagaServices;
  readonly #waiters = new Set<() => void>();
  #alarmAtMs: number | null = null;

  constructor(ctx: DurableObjectState, env: EdgeEnv, services: SagaServices) {
    super(ctx, env);
    this.#services = services;
    // Asking for a batch that never was writes nothing.
    if (isMigrated(ctx.storage.sql)) migrate(ctx.storage, batchSchema);
  }

  get #sql(): SqlStorage {
    return this.ctx.storage.sql;
  }
  #batch(): Batch | undefined {
    return isMigrated(this.#sql) ? batchView(this.#sql).batch() : undefined;
  }

  /** Load, decide, save: one transaction, no await. */
  #execute(
    command: BatchCommand,
    also?: () => void,
  ): { readonly reply: BatchReply; readonly effects: readonly BatchEffect[] } {
    const view = batchView(this.#sql);
    const decision = this.ctx.storage.transactionSync(() => {
      const decided = decide(view, command, this.now());
      if (decided.reply.result === 'created') also?.();
      saveDecision(this.#sql, decided);
      return decided;
    });
    this.#schedule(nextWakeMs(view));
    return decision;
  }

  #schedule(atMs: number | null): void {
    if (atMs === null || atMs === this.#alarmAtMs) return;
    this.#alarmAtMs = atMs;
    // An alarm has whole milliseconds; one that came a fraction early would find nothing due.
    void this.ctx.storage.setAlarm(Math.ceil(atMs));
  }

  async open(request: OpenBatch): Promise<OpenReply> {
    migrate(this.ctx.storage, batchSchema);
    const { batchId, style, images, mode, deadlineAtMs, webhookUrl } = request;
    const command = {
      type: 'create',
      batchId,
      style,
      images: images.length,
      charged: mode === 'live',
      deadlineAtMs,
      webhook: webhookUrl !== null,
    } as const;
    const { effects } = this.#execute(command, () => saveInputs(this.#sql, request));
    const hold = this.#batch()?.hold;
    if (hold === 'asking') return this.#askHold(images.length);
    if (hold === 'refused') return { result: 'refused', available: 0, required: images.length };
    this.#carryLater(effects);
    return { result: 'opened', available: null };
  }

  async #askHold(images: number): Promise<OpenReply> {
    const { accountId, batchId } = contextOf(this.#sql);
    const reply = await this.#services
      .ledgerOf(accountId)
      .hold({ batchId, images })
      .catch(() => undefined);
    if (!reply) return { result: 'ledger_silent' };
    const held = reply.result === 'held' || reply.result === 'already_held';
    const answered = this.#execute({ type: 'hold_answered', answer: held ? 'held' : 'refused' });
    this.#carryLater(answered.effects);
    if (held && answered.reply.result === 'opened') return { result: 'opened', available: reply.available };
    const { available, required } =
      reply.result === 'insufficient_credits' ? reply : { available: 0, required: images };
    return { result: 'refused', available, required };
  }

  async giveUp(): Promise<'opened' | 'dropped'> {
    if (!this.#batch()) return 'dropped';
    const { reply, effects } = this.#execute({ type: 'give_up' });
    this.#carryLater(effects);
    return reply.result === 'opened' ? 'opened' : 'dropped';
  }

  async start(index: number): Promise<StartReply> {
    const batch = this.#batch();
    if (!batch) return { result: 'unknown_batch' };
    const { reply } = this.#execute({ type: 'start', index });
    if (reply.result === 'already_decided') return reply;
    if (reply.result !== 'run') return { result: reply.result as 'busy' };
    const { webhookUrl: _url, ...context } = contextOf(this.#sql);
    const input = inputOf(this.#sql, index);
    if (!input) throw new Error(`image ${index} without its input`);
    return { result: 'run', job: { ...context, ...input, style: batch.style, deadlineAtMs: batch.deadlineAtMs } };
  }

  async postpone(index: number, retryAtMs: number): Promise<BatchReply> {
    if (!this.#batch()) return { result: 'unknown_batch' };
    return this.#execute({ type: 'postpone', index, retryAtMs }).reply;
  }

  async record(index: number, outcome: Outcome): Promise<BatchReply> {
    if (!this.#batch()) return { result: 'unknown_batch' };
    const { reply, effects } = this.#execute({ type: 'record', index, outcome });
    const settling = effects.filter((effect) => effect.type === 'settle');
    this.#carryLater(effects.filter((effect) => effect.type !== 'settle'));
    await this.#carry(settling);
    return reply;
  }

  async snapshot({ waitMs = 0 }: { waitMs?: number } = {}): Promise<Snapshot | undefined> {
    const batch = this.#batch();
    if (!batch || batch.hold === 'refused' || batch.hold === 'asking') return undefined;
    if (waitMs > 0 && !isOver(batch) && this.#waiters.size < limits.batch.waitersMax) await this.#ended(waitMs);
    return this.#snapshot();
  }

  /** Resolves when the batch has ended or after `waitMs`. No storage is read meanwhile. */
  #ended(waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#waiters.delete(done);
        resolve();
      };
      const timer = setTimeout(done, waitMs);
      this.#waiters.add(done);
    });
  }

  #snapshot(): Snapshot {
    const batch = this.#batch();
    if (!batch) throw new Error('a snapshot of no batch');
    const { webhookUrl: _url, ...context } = contextOf(this.#sql);
    const { images: total, processing, completed, failed, style, createdAtMs, completedAtMs } = batch;
    return {
      ...context,
      style,
      status: batchStatus(batch),
      counts: { total, queued: total - processing - completed - failed, processing, completed, failed },
      credits:
        batch.hold === 'held'
          ? { held: total - completed - failed, posted: completed, voided: failed }
          : { held: 0, posted: 0, voided: 0 },
      createdAtMs,
      completedAtMs,
      images: snapshotImages(this.#sql),
    };
  }

  async settleNow(): Promise<'known' | 'unknown'> {
    const batch = this.#batch();
    if (!batch || batch.hold === 'refused') return 'unknown';
    await this.alarm();
    return 'known';
  }

  override async alarm(): Promise<void> {
    this.#alarmAtMs = null;
    if (!this.#batch()) return;
    const { effects } = this.#execute({ type: 'tick' });
    await this.#carry(effects);
  }

  /** Effects nobody waits for: they follow the reply. Their failures are the alarm's business. */
  #carryLater(effects: readonly BatchEffect[]): void {
    if (effects.length > 0) this.#later(() => this.#carry(effects));
  }

  /** Whatever is written before a reply delays it until the disk has it; this is written after. */
  #later(work: () => unknown): void {
    this.ctx.waitUntil(new Promise((resolve) => setTimeout(resolve, 0)).then(work));
  }

  async #carry(effects: readonly BatchEffect[]): Promise<void> {
    await Promise.all(
      effects.map((effect) =>
        this.#perform(effect).catch((error: unknown) =>
          logEvent('warn', 'effect_failed', {
            effect: effect.type,
            batch_id: this.#batch()?.batchId,
            error: String(error),
          }),
        ),
      ),
    );
  }

  async #perform(effect: BatchEffect): Promise<void> {
    const { accountId, batchId, webhookUrl } = contextOf(this.#sql);
    switch (effect.type) {
      case 'ask_hold':
        return void (await this.#askHold(effect.images));
      case 'release_hold':
        return void (await this.#services.ledgerOf(accountId).release(batchId));
      case 'dispatch':
        return this.#services.enqueue(effect.indexes.map((index) => imageId(batchId, index)));
      case 'settle':
        return this.#settle(accountId, batchId, effect.settlements);
      case 'deliver_webhook':
        return this.#deliver(webhookUrl);
      case 'discard_inputs':
        return this.#services.discardInputs(batchId, this.#batch()?.images ?? 0);
      case 'announce':
        for (const wake of [...this.#waiters]) wake();
        return;
      case 'forget':
        await this.ctx.storage.deleteAlarm();
        return this.ctx.storage.deleteAll();
    }
  }

  async #settle(accountId: string, batchId: string, settlements: readonly Settlement[]): Promise<void> {
    const replies = await this.#services.ledgerOf(accountId).resolve(batchId, settlements, this.#endedBatch());
    for (const [i, { result }] of replies.entries()) {
      const settlement = settlements[i];
      if (settlement && result !== settlement.as && result !== `already_${settlement.as}`)
        logEvent('error', 'settled_otherwise', { batch_id: batchId, ...settlement, result });
    }
    this.#later(() => this.#execute({ type: 'settled', indexes: settlements.map(({ index }) => index) }));
  }

  #endedBatch(): EndedBatch | undefined {
    const batch = this.#batch();
    if (!batch?.completedAtMs) return undefined;
    const { batchId, images, completed, failed, completedAtMs } = batch;
    return {
      batchId,
      status: batchStatus(batch) as EndedBatch['status'],
      images,
      completed,
      failed,
      atMs: completedAtMs,
    };
  }

  async #deliver(webhookUrl: string | null): Promise<void> {
    if (webhookUrl === null) return;
    const answer = await this.#services.deliverWebhook(this.#snapshot(), webhookUrl);
    this.#execute({ type: 'webhook_answered', answer, jitter: Math.random() });
  }
}
