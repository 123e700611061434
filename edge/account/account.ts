/**
 * Account: one Durable Object per account, found by the account id in a key. A thin shell over keys, access, request
 * log, idempotency records and the ledger. Commands are synchronous inside, with no await between reading and writing.
 */
import { DurableObject } from 'cloudflare:workers';
import type { EdgeEnv } from '../env.ts';
import { edgeLimits } from '../limits.ts';
import { first, isMigrated, migrate } from '../sqlite/rows.ts';
import { createAccess } from './access/access.ts';
import type { AuthenticateReply, AuthenticateRequest } from './access/port.ts';
import * as idempotency from './idempotency/rows.ts';
import * as keys from './keys/rows.ts';
import * as ledger from './ledger/ledger.ts';
import { entryPage, openBooks, pendingHolds, totals } from './ledger/rows.ts';
import { isRollUpDue, rollUpDays, settledByDay } from './ledger/settled-days.ts';
import type { LedgerCommand, LedgerReply } from './ledger/types.ts';
import type { AccountPort } from './port.ts';
import * as log from './requests/log.ts';
import { accountSchema } from './schema.ts';
import { readWebhookSecret, saveWebhookSecret } from './webhook-secret/rows.ts';

type Argument<Method extends keyof AccountPort, At extends number = 0> = Parameters<AccountPort[Method]>[At];
const noRows = { rows: [], next: null } as const;

export class Account extends DurableObject<EdgeEnv> implements AccountPort {
  /** Replaced by tests. */
  now: () => number = () => Date.now();
  readonly #ledger: ledger.Ledger;
  readonly #access: ReturnType<typeof createAccess>;
  #isOpen: boolean;
  #alarmAtMs: number | null = null;

  constructor(ctx: DurableObjectState, env: EdgeEnv, services: ledger.LedgerServices) {
    super(ctx, env);
    const now = (): number => this.now();
    this.#ledger = { storage: ctx.storage, now, services };
    this.#access = createAccess(ctx.storage.sql, now, () => totals(ctx.storage.sql).available);
    // An account that was never opened gets no tables: a made-up key costs no storage.
    this.#isOpen = isMigrated(ctx.storage.sql);
    if (this.#isOpen) migrate(ctx.storage, accountSchema);
  }

  get #sql(): SqlStorage {
    return this.ctx.storage.sql;
  }

  async open(account: Argument<'open'>): Promise<void> {
    migrate(this.ctx.storage, accountSchema);
    openBooks(this.#sql, account, this.now(), this.now() + edgeLimits.ledger.housekeepingMs);
    this.#isOpen = true;
    this.#schedule();
  }

  async addKey(key: Argument<'addKey'>) {
    if (!this.#isOpen) return { result: 'unknown_account' } as const;
    return { result: keys.addKey(this.#sql, key, this.now()) ? 'added' : 'too_many_keys' } as const;
  }
  async listKeys() {
    return this.#isOpen ? keys.listKeys(this.#sql) : [];
  }
  async renameKey(keyId: string, label: string) {
    const renamed = this.#isOpen && keys.renameKey(this.#sql, keyId, label);
    return { result: renamed ? 'renamed' : 'unknown_key' } as const;
  }
  async revokeKey(keyId: string) {
    return { result: this.#isOpen ? keys.revokeKey(this.#sql, keyId, this.now()) : 'unknown_key' } as const;
  }

  async authenticate(request: AuthenticateRequest): Promise<AuthenticateReply> {
    return this.#isOpen ? this.#access.authenticate(request) : { result: 'unknown' };
  }
  async releaseSlot(slot: string): Promise<void> {
    this.#access.releaseSlot(slot);
  }

  async summary() {
    return this.#isOpen ? totals(this.#sql) : undefined;
  }
  async grant(grant: Argument<'grant'>): Promise<LedgerReply> {
    return this.#execute({ type: 'grant', ...grant });
  }
  async adjust(adjustment: Argument<'adjust'>): Promise<LedgerReply> {
    return this.#execute({ type: 'adjust', ...adjustment });
  }
  async hold({ batchId, images }: Argument<'hold'>): Promise<LedgerReply> {
    return this.#execute({ type: 'hold', batchId, images });
  }
  async resolve(batchId: string, rows: Argument<'resolve', 1>, ended?: Argument<'resolve', 2>) {
    const replies = ledger.resolveImages(this.#ledger, batchId, rows, ended);
    this.#schedule();
    return replies;
  }
  async release(batchId: string): Promise<LedgerReply> {
    return this.#execute({ type: 'release', batchId, reason: 'hold_unwanted' });
  }
  async holds() {
    return this.#isOpen ? pendingHolds(this.#sql) : [];
  }
  async entries(page: Argument<'entries'> = {}) {
    return this.#isOpen ? entryPage(this.#sql, page) : noRows;
  }
  async settledByDay(sinceMs: number) {
    return this.#isOpen ? settledByDay(this.#sql, sinceMs) : [];
  }

  async beginRequest(request: Argument<'beginRequest'>) {
    return idempotency.beginRequest(this.#sql, request, this.now());
  }
  async renewRequest(request: Argument<'renewRequest'>): Promise<boolean> {
    return idempotency.renewRequest(this.#sql, request, this.now());
  }
  async finishRequest({ answer, ...request }: Argument<'finishRequest'>): Promise<void> {
    idempotency.finishRequest(this.#sql, request, answer);
  }
  async yieldRequest(request: Argument<'yieldRequest'>): Promise<void> {
    idempotency.yieldRequest(this.#sql, request, this.now());
  }
  async dropRequest(request: Argument<'dropRequest'>): Promise<void> {
    idempotency.dropRequest(this.#sql, request);
  }

  async logRequest(row: Argument<'logRequest'>): Promise<void> {
    log.addRequest(this.#sql, row);
  }
  async requests(page: Argument<'requests'> = {}) {
    return this.#isOpen ? log.requestPage(this.#sql, page) : noRows;
  }
  async request(requestId: string) {
    return this.#isOpen ? log.requestById(this.#sql, requestId) : undefined;
  }
  async requestsByDay(sinceMs: number) {
    return this.#isOpen ? log.requestsByDay(this.#sql, sinceMs) : [];
  }

  async webhookSecret() {
    return readWebhookSecret(this.#sql);
  }
  async rotateWebhookSecret() {
    return saveWebhookSecret(this.#sql, this.now());
  }

  #execute(command: LedgerCommand): LedgerReply {
    const reply = ledger.execute(this.#ledger, command);
    this.#schedule();
    return reply;
  }

  /** One alarm for all that is due by time: holds to be asked about, entries to be exported, old rows to be deleted. */
  override async alarm(): Promise<void> {
    this.#alarmAtMs = null;
    if (!this.#isOpen) return;
    await ledger.checkHolds(this.#ledger);
    await ledger.exportEntries(this.#ledger);
    if (isRollUpDue(this.#sql)) rollUpDays(this.ctx.storage);
    this.#housekeeping();
    this.#schedule();
  }

  #housekeeping(): void {
    if (this.#housekeepingAtMs() > this.now()) return;
    log.sweepRequests(this.#sql, this.now());
    idempotency.sweepRecords(this.#sql, this.now());
    rollUpDays(this.ctx.storage);
    this.#sql.exec('update account set housekeepingAtMs = ?', this.now() + edgeLimits.ledger.housekeepingMs);
  }
  #housekeepingAtMs(): number {
    const row = first<{ atMs: number }>(this.#sql, 'select housekeepingAtMs as atMs from account');
    return row?.atMs ?? Number.POSITIVE_INFINITY;
  }

  #schedule(): void {
    const atMs = Math.min(this.#housekeepingAtMs(), ledger.nextWakeMs(this.#ledger) ?? Number.POSITIVE_INFINITY);
    if (atMs === this.#alarmAtMs || atMs === Number.POSITIVE_INFINITY) return;
    this.#alarmAtMs = atMs;
    void this.ctx.storage.setAlarm(atMs);
  }
}
