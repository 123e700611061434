/**
 * AccountLedger: one Durable Object per account, found by the account id in a key. A thin shell: each command loads,
 * decides and saves in one
 * synchronous transaction with no await in it. Single-threaded, so two holds never see the same credit.
 */
import { DurableObject } from 'cloudflare:workers';
import type { LedgerExport } from '../../shared/ledger-export.ts';
import { limits } from '../../shared/limits.ts';
import type { SagaPort } from '../batch/port.ts';
import type { EdgeEnv } from '../env.ts';
import { first, isMigrated, migrate } from '../sqlite/rows.ts';
import { newWebhookSecret } from '../webhooks/signature.ts';
import { begin, finish, renew, yieldLease } from './idempotency/record.ts';
import { addKey, keyByHash, listKeys, noteUse, renameKey, revokeKey } from './keys.ts';
import { decide, type LedgerCommand, type LedgerReply } from './ledger/machine.ts';
import { exportBatch, exported, nextExport, noteEnded, noteExportDue } from './ledger/outbox.ts';
import { dueHolds, entryPage, ledgerView, pendingHolds, saveDecision, totals } from './ledger/rows.ts';
import type {
  AuthenticateReply,
  AuthenticateRequest,
  EndedBatch,
  KeyRow,
  LedgerPort,
  NewKey,
  Summary,
  WebhookSecret,
} from './port.ts';
import { type Bucket, fullBucket, take } from './rate.ts';
import {
  addRequest,
  dropIdempotency,
  idempotencyRecord,
  requestById,
  requestPage,
  saveIdempotency,
  sweep,
  usage,
} from './requests.ts';
import { ledgerSchema } from './schema.ts';

type Account = {
  readonly accountId: string;
  readonly label: string;
  readonly createdAtMs: number;
  readonly webhookSecret: string | null;
  readonly webhookRotatedAtMs: number | null;
};
type KeyAndRequest = Parameters<LedgerPort['renewRequest']>[0];

/** What the ledger reaches outside itself. */
export type LedgerServices = {
  readonly sagaOf: (batchId: string) => SagaPort;
  /** True once origin has stored every row. Throws nothing. */
  readonly exportLedger: (parcel: LedgerExport) => Promise<boolean>;
};

export class AccountLedgerShell extends DurableObject<EdgeEnv> implements LedgerPort {
  /** Replaced by tests. */
  now: () => number = () => Date.now();
  /**
   * Rate and running uploads live in memory: an object that was put away has had no request for longer than they
   * matter.
   */
  #bucket: Bucket | undefined;
  readonly #slots = new Map<string, number>();
  #alarmAtMs: number | null = null;

  readonly #services: LedgerServices;

  constructor(ctx: DurableObjectState, env: EdgeEnv, services: LedgerServices) {
    super(ctx, env);
    this.#services = services;
    // An account that was never opened gets no tables: a key nobody made costs no storage.
    if (isMigrated(ctx.storage.sql)) migrate(ctx.storage, ledgerSchema);
  }

  get #sql(): SqlStorage {
    return this.ctx.storage.sql;
  }

  #account(): Account | undefined {
    return isMigrated(this.#sql)
      ? first<Account>(
          this.#sql,
          'select accountId, label, createdAtMs, webhookSecret, webhookRotatedAtMs from account',
        )
      : undefined;
  }

  async open({ accountId, label }: { accountId: string; label: string }): Promise<void> {
    migrate(this.ctx.storage, ledgerSchema);
    this.#sql.exec(
      'insert into account (id, accountId, label, createdAtMs, granted, available, held, spent, entries, housekeepingAtMs) values (1, ?, ?, ?, 0, 0, 0, 0, 0, ?) on conflict do nothing',
      accountId,
      label,
      this.now(),
      this.now() + limits.ledger.housekeepingMs,
    );
    this.#schedule();
  }

  async summary(): Promise<Summary | undefined> {
    const account = this.#account();
    if (!account) return undefined;
    const { accountId, label, createdAtMs } = account;
    const pending = first<{ count: number }>(this.#sql, 'select count(*) as count from hold where pending > 0');
    return { ...totals(this.#sql), accountId, label, createdAtMs, pendingHolds: pending?.count ?? 0 };
  }

  async addKey(key: NewKey): Promise<{ result: 'added' | 'too_many_keys' | 'unknown_account' }> {
    if (!this.#account()) return { result: 'unknown_account' };
    return { result: addKey(this.#sql, key, this.now()) ? 'added' : 'too_many_keys' };
  }
  async listKeys(): Promise<readonly KeyRow[]> {
    return this.#account() ? listKeys(this.#sql) : [];
  }
  async renameKey(keyId: string, label: string): Promise<{ result: 'renamed' | 'unknown_key' }> {
    return { result: renameKey(this.#sql, keyId, label) ? 'renamed' : 'unknown_key' };
  }
  async revokeKey(keyId: string): Promise<{ result: 'revoked' | 'already_revoked' | 'unknown_key' }> {
    return { result: this.#account() ? revokeKey(this.#sql, keyId, this.now()) : 'unknown_key' };
  }

  async authenticate({ hash, slot }: AuthenticateRequest): Promise<AuthenticateReply> {
    const nowMs = this.now();
    const key = this.#account() && keyByHash(this.#sql, hash);
    if (!key) return { result: 'unknown' };
    if (key.revokedAtMs !== null) return { result: 'revoked' };
    const taken = take(this.#bucket ?? fullBucket(nowMs), nowMs);
    this.#bucket = taken.bucket;
    const { keyId, mode } = key;
    if (!taken.allowed) return { result: 'rate_limited', keyId, rate: taken.rate };
    if (slot !== undefined && !this.#enter(slot, nowMs)) return { result: 'too_many_uploads', keyId, rate: taken.rate };
    noteUse(this.#sql, key, nowMs);
    return { result: 'authenticated', keyId, mode, available: totals(this.#sql).available, rate: taken.rate };
  }

  #enter(slot: string, nowMs: number): boolean {
    for (const [running, endsAtMs] of this.#slots) if (endsAtMs <= nowMs) this.#slots.delete(running);
    if (this.#slots.size >= limits.rate.uploadsInFlightMax) return false;
    this.#slots.set(slot, nowMs + limits.upload.slotMsMax);
    return true;
  }
  async leave(slot: string): Promise<void> {
    this.#slots.delete(slot);
  }

  /** Load, decide, save: one transaction, no await. */
  #command(command: LedgerCommand): LedgerReply {
    const decision = decide(ledgerView(this.#sql), command, this.now());
    saveDecision(this.#sql, decision);
    if (decision.entry) noteExportDue(this.#sql, this.now() + limits.ledger.outboxDelayMs);
    return decision.reply;
  }
  #execute(command: LedgerCommand): LedgerReply {
    const reply = this.ctx.storage.transactionSync(() => this.#command(command));
    this.#schedule();
    return reply;
  }

  async grant(grant: Parameters<LedgerPort['grant']>[0]): Promise<LedgerReply> {
    return this.#execute({ type: 'grant', ...grant });
  }
  async adjust(adjustment: Parameters<LedgerPort['adjust']>[0]): Promise<LedgerReply> {
    return this.#execute({ type: 'adjust', ...adjustment });
  }
  async hold({ batchId, images }: { batchId: string; images: number }): Promise<LedgerReply> {
    return this.#execute({ type: 'hold', batchId, images });
  }
  async resolve(
    batchId: string,
    rows: Parameters<LedgerPort['resolve']>[1],
    ended?: EndedBatch,
  ): Promise<readonly LedgerReply[]> {
    if (rows.length > limits.ledger.commandRowsPerCall) throw new RangeError(`${rows.length} resolutions in one call`);
    const replies = this.ctx.storage.transactionSync(() => {
      if (ended) noteEnded(this.#sql, ended, this.now() + limits.ledger.outboxDelayMs);
      return rows.map(({ index, as }) => this.#command({ type: 'resolve', batchId, index, as }));
    });
    this.#schedule();
    return replies;
  }
  async release(batchId: string): Promise<LedgerReply> {
    return this.#execute({ type: 'release', batchId, reason: 'hold_unwanted' });
  }
  async holds() {
    return this.#account() ? pendingHolds(this.#sql) : [];
  }
  async entries(page: Parameters<LedgerPort['entries']>[0] = {}) {
    return this.#account() ? entryPage(this.#sql, page) : { rows: [], next: null };
  }
  async usage(sinceMs: number) {
    return this.#account()
      ? usage(this.#sql, Math.max(sinceMs, this.now() - limits.ledger.usageDaysMax * 86_400_000))
      : [];
  }

  async beginRequest({ keyId, idempotencyKey, batchId }: KeyAndRequest) {
    const { reply, record } = begin(idempotencyRecord(this.#sql, keyId, idempotencyKey), batchId, this.now());
    if (record) saveIdempotency(this.#sql, keyId, idempotencyKey, record);
    return reply;
  }
  async renewRequest({ keyId, idempotencyKey, batchId }: KeyAndRequest): Promise<boolean> {
    const record = renew(idempotencyRecord(this.#sql, keyId, idempotencyKey), batchId, this.now());
    if (record) saveIdempotency(this.#sql, keyId, idempotencyKey, record);
    return record !== undefined;
  }
  async finishRequest({
    keyId,
    idempotencyKey,
    batchId,
    answer,
  }: Parameters<LedgerPort['finishRequest']>[0]): Promise<void> {
    const record = finish(idempotencyRecord(this.#sql, keyId, idempotencyKey), batchId, answer);
    if (record) saveIdempotency(this.#sql, keyId, idempotencyKey, record);
  }
  async yieldRequest({ keyId, idempotencyKey, batchId }: KeyAndRequest): Promise<void> {
    const record = yieldLease(idempotencyRecord(this.#sql, keyId, idempotencyKey), batchId, this.now());
    if (record) saveIdempotency(this.#sql, keyId, idempotencyKey, record);
  }
  async dropRequest({ keyId, idempotencyKey, batchId }: KeyAndRequest): Promise<void> {
    dropIdempotency(this.#sql, keyId, idempotencyKey, batchId);
  }

  async logRequest(row: Parameters<LedgerPort['logRequest']>[0]): Promise<void> {
    addRequest(this.#sql, row);
  }
  async requests(page: Parameters<LedgerPort['requests']>[0] = {}) {
    return this.#account() ? requestPage(this.#sql, page) : { rows: [], next: null };
  }
  async request(requestId: string) {
    return this.#account() && requestById(this.#sql, requestId);
  }

  async webhookSecret(): Promise<WebhookSecret> {
    const account = this.#account();
    return account?.webhookSecret
      ? { secret: account.webhookSecret, rotatedAtMs: account.webhookRotatedAtMs }
      : this.#saveSecret(null);
  }
  async rotateWebhookSecret(): Promise<WebhookSecret> {
    return this.#saveSecret(this.now());
  }
  #saveSecret(rotatedAtMs: number | null): WebhookSecret {
    const secret = newWebhookSecret((n) => crypto.getRandomValues(new Uint8Array(n)));
    this.#sql.exec('update account set webhookSecret = ?, webhookRotatedAtMs = ?', secret, rotatedAtMs);
    return { secret, rotatedAtMs };
  }

  /** One alarm for all that is due by time: holds to be asked about, entries to be exported, old rows to be deleted. */
  #schedule(): void {
    const row = first<{ atMs: number }>(
      this.#sql,
      `select min(housekeepingAtMs, coalesce(exportDueAtMs, housekeepingAtMs), coalesce((select min(checkAtMs) from hold where checkAtMs is not null), housekeepingAtMs)) as atMs from account`,
    );
    if (!row || row.atMs === this.#alarmAtMs) return;
    this.#alarmAtMs = row.atMs;
    void this.ctx.storage.setAlarm(row.atMs);
  }

  override async alarm(): Promise<void> {
    this.#alarmAtMs = null;
    if (!this.#account()) return;
    await this.#checkHolds();
    await this.#export();
    this.#keepHouse();
    this.#schedule();
  }

  /**
   * Asks, never decides: the saga settles what it knows; only a batch it never heard of gets its credits back from
   * here.
   */
  async #checkHolds(): Promise<void> {
    for (const { batchId } of dueHolds(this.#sql, this.now())) {
      const answer = await this.#services
        .sagaOf(batchId)
        .settleNow()
        .catch(() => 'known' as const);
      this.#execute(
        answer === 'unknown' ? { type: 'release', batchId, reason: 'batch_unknown' } : { type: 'keep', batchId },
      );
    }
  }

  async #export(): Promise<void> {
    const { accountId } = this.#account() ?? {};
    const due = nextExport(this.#sql);
    if (accountId === undefined || due === null || due > this.now()) return;
    const parcel = exportBatch(this.#sql, accountId);
    const delivered = await this.#services.exportLedger(parcel);
    if (delivered) exported(this.#sql, parcel, this.now());
    else noteExportDue(this.#sql, this.now() + limits.ledger.outboxRetryMs, 'later');
  }

  #keepHouse(): void {
    const due = first<{ atMs: number }>(this.#sql, 'select housekeepingAtMs as atMs from account');
    if (!due || due.atMs > this.now()) return;
    sweep(this.#sql, this.now());
    this.#sql.exec('update account set housekeepingAtMs = ?', this.now() + limits.ledger.housekeepingMs);
  }
}
