/**
 * Account: one Durable Object per account, found by the account id in a key. A thin shell over keys, access and the
 * ledger; what grows with use and is no money is in History. Commands are synchronous inside, with no await between
 * reading and writing.
 */
import { type Alarm, createAlarm, earliest } from '../alarm.ts';
import type { EdgeEnv } from '../env.ts';
import { edgeLimits } from '../limits.ts';
import { first, isMigrated, migrate } from '../sqlite/rows.ts';
import { createWaiters } from '../waiters.ts';
import { createAccess } from './access/access.ts';
import type { AuthenticateReply, AuthenticateRequest } from './access/port.ts';
import { nextTellMs, readAlert, saveLevel, tellCrossings } from './alerts.ts';
import type { TellCrossing } from './alerts-port.ts';
import { createChecks } from './checks/checks.ts';
import type { BeginCheckReply } from './checks/port.ts';
import { nextErasureMs, noteErasure, type RemovableBatch, readErasure, runErasure } from './erasure.ts';
import { isListenedTo, noteEvent, readEvents } from './events.ts';
import * as beforeHistory from './history/before.ts';
import { ForwardsToHistory } from './history/forward.ts';
import type { HistoryPort, OlderRecords } from './history/port.ts';
import { createKeys } from './keys/keys.ts';
import { isRevoked } from './keys/rows.ts';
import { checkpoint } from './ledger/checkpoint-rows.ts';
import { runChecks } from './ledger/checks.ts';
import { foldEntries, sweepHolds } from './ledger/fold.ts';
import { imagesBySplit, sweepImageSplit } from './ledger/image-split.ts';
import * as ledger from './ledger/ledger.ts';
import { noteChecksDue, openAccount } from './ledger/outbox.ts';
import { entryPage, ledgerView, openBooks, pendingHolds, totals } from './ledger/rows.ts';
import { isRollUpDue, rollUpDays, settledByDay, settledInDays } from './ledger/settled-days.ts';
import { spentInMonth } from './ledger/spent-by-key.ts';
import type { LedgerCommand, LedgerReply } from './ledger/types.ts';
import type { AccountPort } from './port.ts';
import { readRetention, saveRetention } from './retention.ts';
import { type EndsForKey, nextRevocationMs, noteRevocation, runRevocations } from './revocations.ts';
import { accountSchema } from './schema.ts';
import { purchaseId, type TopUpServices } from './top-up/port.ts';
import { createTopUps, type TopUps } from './top-up/top-ups.ts';
import { forgetEvents, handOverEvents, nextHandOverMs } from './webhook-endpoints/events.ts';
import * as endpoints from './webhook-endpoints/rows.ts';
import { readWebhookSecret, saveWebhookSecret } from './webhook-secret/rows.ts';

export type AccountServices = ledger.LedgerServices & {
  readonly historyOf: (accountId: string) => HistoryPort;
  readonly batchOf: (batchId: string) => EndsForKey & RemovableBatch;
  readonly tellCrossing: TellCrossing;
  readonly topUps: TopUpServices;
};

type Argument<Method extends keyof AccountPort, At extends number = 0> = Parameters<AccountPort[Method]>[At];
type Resolve = Parameters<typeof ledger.resolveImages> extends [unknown, ...infer Rest] ? Rest : never;
const unknownKey = { result: 'unknown_key' } as const;
const noRows = { rows: [], next: null } as const;
const noTopUp = {
  terms: null,
  isOn: false,
  pause: null,
  card: null,
  waiting: null,
  monthCents: 0,
  isCharging: false,
  isClosed: false,
  last: [],
} as const;

export class Account extends ForwardsToHistory implements AccountPort, OlderRecords {
  /** Replaced by tests. */
  now: () => number = () => Date.now();
  /** Replaced by tests. */
  topUpServices: TopUpServices;
  readonly #ledger: ledger.Ledger;
  readonly #historyOf: AccountServices['historyOf'];
  readonly #batchOf: AccountServices['batchOf'];
  readonly #tellCrossing: TellCrossing;
  readonly #topUps: TopUps;
  readonly #access: ReturnType<typeof createAccess>;
  readonly #checks: ReturnType<typeof createChecks>;
  readonly #keys: ReturnType<typeof createKeys>;
  #isOpen: boolean;
  readonly #listeners = createWaiters(edgeLimits.webhookEvents.waitersMax);
  readonly #alarm: Alarm;

  constructor(ctx: DurableObjectState, env: EdgeEnv, services: AccountServices) {
    super(ctx, env);
    this.#historyOf = services.historyOf;
    this.#batchOf = services.batchOf;
    this.#tellCrossing = services.tellCrossing;
    this.topUpServices = services.topUps;
    const now = (): number => this.now();
    this.#topUps = createTopUps({
      storage: ctx.storage,
      now,
      accountId: () => openAccount(this.#sql).accountId,
      available: () => totals(this.#sql).available,
      purchase: (paymentIntent) => {
        const entry = ledgerView(this.#sql).entry(`grant:${purchaseId(paymentIntent)}`);
        return entry && { payment: entry.reference };
      },
    });
    this.#ledger = { storage: ctx.storage, now, services };
    this.#access = createAccess(ctx.storage.sql, now, () => totals(ctx.storage.sql).available);
    this.#checks = createChecks(ctx.storage.sql, now);
    this.#keys = createKeys(ctx.storage, now, (keyId) => noteRevocation(this.#sql, keyId, this.now()));
    // An account that was never opened gets no tables: a made-up key costs no storage.
    this.#isOpen = isMigrated(ctx.storage.sql);
    if (this.#isOpen) migrate(ctx.storage, accountSchema);
    this.#alarm = createAlarm('account', ctx.storage, now, () => this.#dueMs());
    void ctx.blockConcurrencyWhile(() => this.#alarm.start());
  }

  protected override history(): HistoryPort {
    const accountId = this.ctx.id.name;
    if (accountId === undefined) throw new Error('an account without its name');
    return this.#historyOf(accountId);
  }

  get #sql(): SqlStorage {
    return this.ctx.storage.sql;
  }

  async open(account: Argument<'open'>): Promise<void> {
    migrate(this.ctx.storage, accountSchema);
    openBooks(this.#sql, account, this.now(), this.now() + edgeLimits.ledger.housekeepingMs);
    this.#isOpen = true;
    void this.#alarm.arm();
  }

  async addKey(key: Argument<'addKey'>) {
    return this.#isOpen ? this.#keys.add(key) : ({ result: 'unknown_account' } as const);
  }
  async listKeys() {
    return this.#isOpen ? this.#keys.list() : [];
  }
  async changeKey(keyId: string, change: Argument<'changeKey', 1>, by?: string) {
    return this.#isOpen ? this.#keys.change(keyId, change, by) : unknownKey;
  }
  async rollKey(keyId: string, secret: Argument<'rollKey', 1>, by?: string) {
    return this.#isOpen ? this.#keys.roll(keyId, secret, by) : unknownKey;
  }
  async revokeKey(keyId: string, by?: string) {
    if (!this.#isOpen) return unknownKey;
    const reply = this.#keys.revoke(keyId, by);
    void this.#alarm.arm();
    return reply;
  }
  async isRevoked(keyId: string) {
    return !this.#isOpen || isRevoked(this.#sql, keyId);
  }

  async authenticate(request: AuthenticateRequest): Promise<AuthenticateReply> {
    if (!this.#isOpen) return { result: 'unknown' };
    void this.#alarm.check();
    return this.#access.authenticate(request);
  }
  async releaseSlot(slot: string): Promise<void> {
    this.#access.releaseSlot(slot);
  }

  /** Only after `authenticate`: the account is open. */
  async beginCheck(checkId: string): Promise<BeginCheckReply> {
    return this.#checks.begin(checkId);
  }
  async endCheck(checkId: string): Promise<void> {
    this.#checks.end(checkId);
  }

  async summary() {
    if (!this.#isOpen) return undefined;
    void this.#alarm.check();
    return totals(this.#sql);
  }
  async grant(grant: Argument<'grant'>): Promise<LedgerReply> {
    return this.#execute({ type: 'grant', ...grant });
  }
  async adjust(adjustment: Argument<'adjust'>): Promise<LedgerReply> {
    return this.#execute({ type: 'adjust', ...adjustment });
  }
  async hold(request: Argument<'hold'>) {
    const { batchId, keyId } = request;
    // The request came in before the key was revoked. What is held already is told as it is.
    if (keyId !== undefined && isRevoked(this.#sql, keyId) && !ledgerView(this.#sql).hold(batchId))
      return { result: 'key_revoked', available: totals(this.#sql).available, window: 0 } as const;
    const reply = this.#execute({ type: 'hold', ...request });
    return { ...reply, window: this.#windowOf(batchId), retentionDays: readRetention(this.#sql) };
  }
  async resolve(batchId: string, rows: Argument<'resolve', 1>, ended?: Argument<'resolve', 2>) {
    return this.#resolve(batchId, rows, { ended });
  }
  async settle(batchId: string, rows: Argument<'settle', 1>, inFlight: number, ended?: Argument<'settle', 3>) {
    const replies = this.#resolve(batchId, rows, { ended, inFlight });
    if (ended?.slot !== undefined) this.#access.releaseSlot(ended.slot);
    else if (ended) this.#noteEnd(batchId);
    return { replies, available: totals(this.#sql).available, window: this.#windowOf(batchId) };
  }
  #resolve(...[batchId, rows, how]: Resolve) {
    const replies = ledger.resolveImages(this.#ledger, batchId, rows, how);
    void this.#alarm.arm();
    return replies;
  }
  #windowOf(batchId: string): number {
    return ledgerView(this.#sql).hold(batchId)?.window ?? 0;
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
  async checkpoint() {
    return this.#isOpen ? checkpoint(this.#sql) : undefined;
  }
  async spentInMonth(month: string) {
    return this.#isOpen ? spentInMonth(this.#sql, month) : { credits: 0, keys: [] };
  }
  async imagesBySplit(range: Argument<'imagesBySplit'>, period: Argument<'imagesBySplit', 1>) {
    return this.#isOpen ? imagesBySplit(this.#sql, settledInDays(this.#sql, range), range, period) : [];
  }
  async settledByDay(sinceMs: number) {
    return this.#isOpen ? settledByDay(this.#sql, sinceMs) : [];
  }

  async olderRecord(request: Parameters<OlderRecords['olderRecord']>[0]) {
    return this.#isOpen ? beforeHistory.olderRecord(this.#sql, request) : { record: null, any: false };
  }

  async eraseData(evenRunning = false) {
    if (!this.#isOpen) return { result: 'unknown_account' } as const;
    if (!evenRunning && totals(this.#sql).pendingHolds > 0) return { result: 'in_progress' } as const;
    noteErasure(this.#sql, this.now());
    forgetEvents(this.#sql);
    void this.#alarm.arm();
    return { result: 'erasing' } as const;
  }
  /** Of a batch; an upload's caller has its answer. */
  #noteEnd(batchId: string): void {
    if (!isListenedTo(this.#sql, this.now())) return;
    const { mode = 'live' } = ledgerView(this.#sql).hold(batchId) ?? {};
    noteEvent(this.#sql, batchId, mode, this.now());
    this.#listeners.wake();
  }
  async batchEvents({ after, mode, waitMs }: Argument<'batchEvents'>) {
    if (!this.#isOpen) return { events: [], next: 0, isMissing: false };
    const read = () => readEvents(this.#sql, after, mode, this.now());
    const page = read();
    if (page.events.length > 0 || page.isMissing || after === null || waitMs === 0) return page;
    return (await this.#listeners.wait(waitMs)) ? read() : page;
  }

  async retention() {
    return this.#isOpen ? readRetention(this.#sql) : null;
  }
  async setRetention(days: number | null): Promise<void> {
    if (this.#isOpen) saveRetention(this.#sql, days);
  }
  async balanceAlert() {
    return this.#isOpen ? readAlert(this.#sql) : { level: null, last: null };
  }
  async setBalanceAlert(level: number | null): Promise<void> {
    if (this.#isOpen) saveLevel(this.#sql, level);
  }
  async topUp() {
    return this.#isOpen ? this.#topUps.view() : noTopUp;
  }
  async setTopUp(terms: Argument<'setTopUp'>, card?: string) {
    return this.#changeTopUp(() => this.#topUps.set(terms, card), 'no_card');
  }
  async pauseTopUp(pause: Argument<'pauseTopUp'>): Promise<void> {
    this.#changeTopUp(() => this.#topUps.pause(pause), undefined);
  }
  async saveCard(card: Argument<'saveCard'>, atMs: number) {
    return this.#changeTopUp(() => this.#topUps.saveCard(card, atMs), 'outdated');
  }
  async removeCard(): Promise<void> {
    this.#changeTopUp(() => this.#topUps.removeCard(), undefined);
  }
  async closeTopUp() {
    return this.#changeTopUp(() => this.#topUps.close(), 'closed');
  }
  #changeTopUp<Reply>(change: () => Reply, unopened: Reply): Reply {
    if (!this.#isOpen) return unopened;
    const reply = change();
    void this.#alarm.arm();
    return reply;
  }
  async erasure() {
    return this.#isOpen ? readErasure(this.#sql) : null;
  }

  async webhookSecret() {
    return readWebhookSecret(this.#sql, this.now());
  }
  async rotateWebhookSecret() {
    return saveWebhookSecret(this.#sql, this.now());
  }

  async webhookEndpoints() {
    return this.#isOpen ? endpoints.listEndpoints(this.#sql) : [];
  }
  async addWebhookEndpoint(endpoint: Argument<'addWebhookEndpoint'>) {
    return this.#isOpen ? endpoints.addEndpoint(this.#sql, endpoint, this.now()) : ({ result: 'unknown' } as const);
  }
  async changeWebhookEndpoint(endpointId: string, change: Argument<'changeWebhookEndpoint', 1>) {
    if (!this.#isOpen) return { result: 'unknown' } as const;
    return endpoints.changeEndpoint(this.#sql, endpointId, change, this.now());
  }
  async removeWebhookEndpoint(endpointId: string) {
    return this.#isOpen && endpoints.removeEndpoint(this.#sql, endpointId);
  }
  async disableWebhookEndpoint(endpointId: string, disabling: Argument<'disableWebhookEndpoint', 1>) {
    return this.#isOpen ? endpoints.disableEndpoint(this.#sql, endpointId, disabling) : ('superseded' as const);
  }

  #execute(command: LedgerCommand): LedgerReply {
    const reply = ledger.execute(this.#ledger, command);
    void this.#alarm.arm();
    return reply;
  }

  /** One alarm for all that is due by time. What deletes comes first, so that a full object frees itself. */
  override async alarm(): Promise<void> {
    if (!this.#isOpen) return;
    await this.#alarm.run({
      housekeeping: () => this.#housekeeping(),
      webhookEvents: () => handOverEvents(this.#sql, this.now, this.#historyOf),
      export: () => ledger.exportEntries(this.#ledger),
      holds: () => ledger.checkHolds(this.#ledger),
      erasure: () => runErasure(this.#sql, this.now(), { historyOf: this.#historyOf, batchOf: this.#batchOf }),
      revocations: () => runRevocations(this.#sql, this.now(), this.#batchOf),
      days: () => isRollUpDue(this.#sql) && rollUpDays(this.ctx.storage) === 'more',
      fold: () => foldEntries(this.#ledger),
      checks: () => runChecks(this.#ledger),
      crossings: () => this.#tellCrossings(),
      topUps: () => this.#topUps.run(this.topUpServices),
      olderRequests: () => beforeHistory.moveRequests(this.#sql, this.#historyOf),
    });
  }

  #tellCrossings(): Promise<void> {
    const accountId = (): string => openAccount(this.#sql).accountId;
    return tellCrossings({ sql: this.#sql, now: this.now, accountId }, this.#tellCrossing);
  }

  #housekeeping(): boolean {
    if (this.#housekeepingAtMs() > this.now()) return false;
    const swept = [
      sweepHolds(this.ctx.storage, this.now()),
      sweepImageSplit(this.#sql, this.now()),
      beforeHistory.sweepOlderRecords(this.#sql, this.now()),
    ];
    const { housekeepingMs, quietHousekeepingMs } = edgeLimits.ledger;
    const isQuiet = rollUpDays(this.ctx.storage) === 'nothing';
    if (swept.includes(true)) return true;
    if (isQuiet && checkpoint(this.#sql)) noteChecksDue(this.#sql, this.now());
    this.#sql.exec(
      'update account set housekeepingAtMs = ?',
      this.now() + (isQuiet ? quietHousekeepingMs : housekeepingMs),
    );
    return false;
  }
  #housekeepingAtMs(): number {
    const row = first<{ atMs: number }>(this.#sql, 'select housekeepingAtMs as atMs from account');
    return row?.atMs ?? Number.POSITIVE_INFINITY;
  }

  #dueMs(): number {
    if (!this.#isOpen) return Number.POSITIVE_INFINITY;
    if (beforeHistory.hasOlderRequests(this.#sql)) return this.now();
    return earliest(
      this.#housekeepingAtMs(),
      ledger.nextWakeMs(this.#ledger),
      nextRevocationMs(this.#sql),
      nextErasureMs(this.#sql),
      nextTellMs(this.#sql),
      this.#topUps.nextMs(),
      nextHandOverMs(this.#sql),
    );
  }
}
