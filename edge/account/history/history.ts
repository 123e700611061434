/**
 * History: one Durable Object per account, beside the account's own. It has the request log with its sums by day, and the
 * Idempotency-Key records with their answers: all that grows with use and is no money. Full or away, it stops no image
 * and no credit.
 */
import { DurableObject } from 'cloudflare:workers';
import { idTimeMs } from '../../../shared/ids.ts';
import { type Alarm, createAlarm, earliest } from '../../alarm.ts';
import type { EdgeEnv } from '../../env.ts';
import { edgeLimits } from '../../limits.ts';
import { errorText, logEvent } from '../../log.ts';
import { first, isMigrated, migrate } from '../../sqlite/rows.ts';
import * as folders from '../folders/rows.ts';
import type { RequestRecord } from '../idempotency/port.ts';
import * as idempotency from '../idempotency/rows.ts';
import { addTallies, requestsByDay, requestsBySplit, rollUpRequests } from '../requests/days.ts';
import * as log from '../requests/log.ts';
import type { RequestRow } from '../requests/port.ts';
import { createRefusals, isRefusal } from '../requests/refusals.ts';
import { requestPage } from '../requests/search.ts';
import { splitDueMs, sweepSplit } from '../requests/split.ts';
import * as attempts from '../webhook-attempts/rows.ts';
import { createDeliveries, type DeliveryServices } from '../webhook-deliveries/deliveries.ts';
import * as deliveries from '../webhook-deliveries/rows.ts';
import { eraseBatch, eraseImage, eraseThrough } from './erase.ts';
import type { HistoryPort, OlderRecords } from './port.ts';
import { historySchema } from './schema.ts';

export type HistoryServices = DeliveryServices & {
  /** The account whose history this is, by the name of the object. */
  readonly olderRecordsOf: (accountId: string) => OlderRecords;
};

type Argument<Method extends keyof HistoryPort, At extends number = 0> = Parameters<HistoryPort[Method]>[At];

export class History extends DurableObject<EdgeEnv> implements HistoryPort {
  /** Replaced by tests. */
  now: () => number = () => Date.now();
  readonly #services: HistoryServices;
  readonly #refusals = createRefusals();
  readonly #alarm: Alarm;
  readonly #deliveries: ReturnType<typeof createDeliveries>;
  #isRollUpDue = true;
  #isOpen: boolean;

  constructor(ctx: DurableObjectState, env: EdgeEnv, services: HistoryServices) {
    super(ctx, env);
    this.#services = services;
    this.#isOpen = isMigrated(ctx.storage.sql);
    if (this.#isOpen) this.#migrateIfRoom();
    this.#deliveries = createDeliveries({
      storage: ctx.storage,
      now: () => this.now(),
      services,
      waitUntil: (work) => ctx.waitUntil(work),
      arm: () => void this.#alarm.arm(),
    });
    this.#alarm = createAlarm(
      'history',
      ctx.storage,
      () => this.now(),
      () => this.#dueMs(),
    );
    void ctx.blockConcurrencyWhile(() => this.#alarm.start());
  }

  /** A full object must come up all the same, so that it can sweep; its alarm tries again. */
  #migrateIfRoom(): void {
    try {
      migrate(this.ctx.storage, historySchema);
    } catch (error) {
      logEvent('error', 'history_not_migrated', { error: errorText(error) });
    }
  }

  get #sql(): SqlStorage {
    return this.ctx.storage.sql;
  }
  /** Reading a history that has none writes nothing. */
  #open(): void {
    if (this.#isOpen) return;
    migrate(this.ctx.storage, historySchema);
    this.#isOpen = true;
  }

  async logRequest(row: RequestRow): Promise<void> {
    this.#open();
    if (!isRefusal(row) || this.#refusals.mayLog(row, this.now())) log.addRequests(this.ctx.storage, [row]);
    this.#isRollUpDue = true;
    void this.#alarm.arm();
  }
  async moveIn(rows: readonly RequestRow[]): Promise<void> {
    this.#open();
    log.addRequests(this.ctx.storage, rows);
    this.#isRollUpDue = true;
    void this.#alarm.arm();
  }
  async requests(page: Argument<'requests'> = {}) {
    return this.#isOpen ? requestPage(this.#sql, page) : { rows: [], next: null };
  }
  async request(requestId: string) {
    const beganAtMs = idTimeMs(requestId);
    return this.#isOpen && beganAtMs !== undefined ? log.requestById(this.#sql, requestId, beganAtMs) : undefined;
  }
  async requestsByDay(sinceMs: number) {
    return this.#isOpen ? requestsByDay(this.#sql, sinceMs, this.#refusals.counted()) : [];
  }

  async requestsBySplit(range: Argument<'requestsBySplit'>, period: Argument<'requestsBySplit', 1>) {
    const counted = this.#refusals.counted();
    return this.#isOpen ? requestsBySplit(this.#sql, range, period, counted) : { groups: [], all: [] };
  }

  async eraseBatch(batchId: string, index: number | null): Promise<void> {
    if (!this.#isOpen) return;
    if (index === null) {
      eraseBatch(this.ctx.storage, batchId);
      folders.eraseFolderBatch(this.ctx.storage, batchId);
      attempts.eraseBatchAttempts(this.ctx.storage, batchId);
      deliveries.eraseBatchDeliveries(this.#sql, batchId);
    } else {
      eraseImage(this.ctx.storage, batchId, index);
      attempts.forgetBodies(this.#sql, batchId);
    }
  }
  async eraseThrough(throughMs: number): Promise<boolean> {
    if (!this.#isOpen) return false;
    deliveries.eraseDeliveries(this.#sql, throughMs);
    const left = [
      eraseThrough(this.ctx.storage, throughMs),
      folders.eraseFolders(this.ctx.storage, throughMs),
      attempts.eraseAttempts(this.ctx.storage, throughMs),
    ];
    return left.includes(true);
  }

  async noteAttempt(attempt: Argument<'noteAttempt'>): Promise<void> {
    this.#open();
    attempts.addAttempt(this.ctx.storage, attempt);
    if (attempt.endpointId && attempt.outcome === 'delivered' && deliveries.hasDeliveryTables(this.#sql))
      deliveries.noteAccepted(this.#sql, attempt.endpointId, attempt.eventId);
    void this.#alarm.arm();
  }
  async attempts(page: Argument<'attempts'> = {}) {
    return this.#isOpen ? attempts.attemptPage(this.#sql, page) : { rows: [], next: null };
  }
  async attempt(attemptId: string) {
    return this.#isOpen ? attempts.attemptById(this.#sql, attemptId) : undefined;
  }

  async takeWebhookEvents(accountId: string, events: Argument<'takeWebhookEvents', 1>): Promise<void> {
    this.#open();
    deliveries.takeEvents(this.ctx.storage, accountId, events);
    void this.#alarm.arm();
  }
  async webhookEndpointStates() {
    return this.#isOpen && deliveries.hasDeliveryTables(this.#sql) ? deliveries.endpointStates(this.#sql) : [];
  }
  async forgetWebhookEndpoint(endpointId: string): Promise<void> {
    if (this.#isOpen && deliveries.hasDeliveryTables(this.#sql)) deliveries.forgetEndpoint(this.#sql, endpointId);
  }

  async addFolder(folder: Argument<'addFolder'>): Promise<void> {
    this.#open();
    folders.addFolder(this.ctx.storage, folder);
    void this.#alarm.arm();
  }
  async folder(folderId: string) {
    return this.#isOpen ? folders.folderById(this.#sql, folderId) : undefined;
  }
  async folders(page: Argument<'folders'>) {
    return this.#isOpen ? folders.folderPage(this.#sql, page) : { rows: [], next: null };
  }
  async beginFolderBatch(folderId: string, batch: Argument<'beginFolderBatch', 1>, isReplacement: boolean) {
    if (!this.#isOpen) return { result: 'unknown' } as const;
    return folders.beginBatch(this.#sql, folderId, batch, isReplacement);
  }
  async placeFolderBatch(folderId: string, batchId: string, positions: readonly number[]): Promise<boolean> {
    return this.#isOpen && folders.placeBatch(this.#sql, folderId, batchId, positions);
  }
  async dropFolderBatch(folderId: string, batchId: string): Promise<void> {
    if (this.#isOpen) folders.dropBatch(this.#sql, folderId, batchId);
  }

  async beginRequest(request: Argument<'beginRequest'>) {
    this.#open();
    await this.#fetchOlderRecord(request);
    const reply = idempotency.beginRequest(this.#sql, request, this.now());
    void this.#alarm.arm();
    return reply;
  }
  async renewRequest(request: Argument<'renewRequest'>): Promise<boolean> {
    return this.#isOpen && idempotency.renewRequest(this.#sql, request, this.now());
  }
  async finishRequest({ answer, ...request }: Argument<'finishRequest'>): Promise<void> {
    if (this.#isOpen) idempotency.finishRequest(this.#sql, request, answer);
  }
  async yieldRequest(request: Argument<'yieldRequest'>): Promise<void> {
    if (this.#isOpen) idempotency.yieldRequest(this.#sql, request, this.now());
  }
  async batchOfRequest(request: Argument<'batchOfRequest'>): Promise<string | null> {
    return this.#isOpen ? idempotency.batchOfRequest(this.#sql, request) : null;
  }
  async dropRequest(request: Argument<'dropRequest'>): Promise<void> {
    if (this.#isOpen) idempotency.dropRequest(this.#sql, request);
  }

  /**
   * Records used to be in the account's own object, and live for a day: one that is not here is asked for there, until
   * the account has none left. Reading it when it is needed keeps every key working through the deployment; copying all
   * of them at once might be more than one call can carry. Throws if the account is away: nothing was opened yet.
   */
  async #fetchOlderRecord(request: RequestRecord): Promise<void> {
    const mayHaveOlder = first(this.#sql, 'select 1 from history where mayHaveOlderRecords = 1') !== undefined;
    if (!mayHaveOlder || idempotency.hasRecord(this.#sql, request)) return;
    const { keyId, idempotencyKey } = request;
    const accountId = this.ctx.id.name;
    if (accountId === undefined) throw new Error('a history without the name of its account');
    const { record, any } = await this.#services.olderRecordsOf(accountId).olderRecord({ keyId, idempotencyKey });
    if (!any) this.#sql.exec('update history set mayHaveOlderRecords = 0');
    // Another request with this key may have begun meanwhile.
    if (record && !idempotency.hasRecord(this.#sql, request)) idempotency.adoptRecord(this.#sql, request, record);
  }

  /** What deletes comes first, so that a full object frees itself. */
  override async alarm(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isRollUpDue = false;
    await this.#alarm.run({
      sweepRecords: () => idempotency.sweepRecords(this.#sql, this.now()),
      sweepRequests: () => log.sweepRequests(this.ctx.storage, this.now()),
      sweepSplit: () => sweepSplit(this.#sql, this.now()),
      sweepFolders: () => folders.sweepFolders(this.ctx.storage, this.now()),
      sweepAttempts: () => attempts.sweepAttempts(this.ctx.storage, this.now()),
      deliveries: () => this.#deliveries.run(),
      disabledEndpoints: () => this.#deliveries.runDisablings(),
      refusals: () => this.#countRefusals(),
      days: () => rollUpRequests(this.ctx.storage),
      tables: () => migrate(this.ctx.storage, historySchema),
    });
  }
  #countRefusals(): void {
    addTallies(this.#sql, this.#refusals.counted());
    this.#refusals.forget();
  }

  /**
   * New rows are added up within one interval; otherwise old ones are looked for while there are any: records, which live
   * a day, every hour, lines of the log, which live a month, every day, and sums by key when the oldest of them is due.
   */
  #dueMs(): number {
    if (!this.#isOpen) return Number.POSITIVE_INFINITY;
    return earliest(this.#housekeepingMs(), this.#deliveries.dueMs());
  }
  #housekeepingMs(): number {
    if (this.#isRollUpDue) return this.now() + edgeLimits.requestLog.rollUpEveryMs;
    const { housekeepingMs, quietHousekeepingMs } = edgeLimits.ledger;
    if (first(this.#sql, 'select 1 from idempotency limit 1')) return this.now() + housekeepingMs;
    if (
      first(this.#sql, 'select 1 from request limit 1') ||
      folders.hasFolders(this.#sql) ||
      attempts.hasAttempts(this.#sql)
    )
      return this.now() + quietHousekeepingMs;
    return splitDueMs(this.#sql);
  }
}
