/**
 * When a top-up begins, and what the ledger's movements mean for it. All of it inside the transaction of the movement, so
 * that no number of movements at once begins two, or passes a month's limit.
 */
import { all, first } from '../../sqlite/rows.ts';
import type { LedgerCommand, LedgerDecision } from '../ledger/types.ts';
import { purchaseId, type TopUpPause } from './port.ts';
import {
  addNotice,
  endTopUp,
  monthCents,
  openTopUp,
  readSetting,
  readTopUpLevel,
  type Setting,
  saveSetting,
} from './rows.ts';

export const monthStartMs = (nowMs: number): number => {
  const now = new Date(nowMs);
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth());
};
const nextMonthMs = (nowMs: number): number => {
  const now = new Date(nowMs);
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1);
};

/** After a movement was saved. */
export const noteMovement = (
  sql: SqlStorage,
  command: LedgerCommand,
  { reply, totals }: LedgerDecision,
  nowMs: number,
): void => {
  if (!totals) return;
  if (command.type === 'grant' && reply.result === 'granted')
    noteCredits(sql, command.id, command.reference ?? null, nowMs);
  // Money that goes back pauses: the balance that falls with it is no reason to charge a card again.
  if (command.type === 'adjust' && command.reason === 'refund') pauseTopUp(sql, 'refunded', nowMs);
  if (command.type === 'adjust' && command.reason === 'dispute') pauseTopUp(sql, 'disputed', nowMs);
  // What is posted or comes back lowers nothing that can be spent.
  if (command.type === 'hold' || command.type === 'adjust' || command.type === 'grant')
    beginIfLow(sql, totals.available, nowMs);
};

/** `available`: credits that can be spent now. */
export const beginIfLow = (sql: SqlStorage, available: number, nowMs: number): void => {
  const level = readTopUpLevel(sql);
  if (level === null || available > level) return;
  const setting = readSetting(sql);
  if (setting.waiting && setting.waiting.untilMs > nowMs) return;
  if (openTopUp(sql)) return;
  begin(sql, setting, nowMs);
};

const begin = (sql: SqlStorage, setting: Setting, nowMs: number): void => {
  const { terms, card } = setting;
  if (!terms || !card) return;
  const { credits, usdCents } = terms.pack;
  if (monthCents(sql, monthStartMs(nowMs)) + usdCents > terms.monthlyLimitCents) {
    saveSetting(sql, { ...setting, waiting: { for: 'month', untilMs: nextMonthMs(nowMs) } });
    if (!toldOfLimit(sql, monthStartMs(nowMs))) addNotice(sql, { what: 'month_limit', credits, usdCents, atMs: nowMs });
    return;
  }
  if (setting.waiting) saveSetting(sql, { ...setting, waiting: null });
  sql.exec(
    `insert into topUp (state, credits, usdCents, customer, paymentMethod, createdAtMs, dueAtMs)
      values ('due', ?, ?, ?, ?, ?, ?)`,
    credits,
    usdCents,
    card.customer,
    card.paymentMethod,
    nowMs,
    nowMs,
  );
};

/** Once in a month, however often terms are changed in it. */
const toldOfLimit = (sql: SqlStorage, monthMs: number): boolean =>
  first(sql, `select 1 from topUpNotice where what = 'month_limit' and atMs >= ? limit 1`, monthMs) !== undefined;

/** The credits of a payment, by its grant's id: of a top-up, if the payment is one's, whatever was thought of it before. */
export const noteCredits = (sql: SqlStorage, id: string, payment: string | null, nowMs: number): void => {
  const prefix = purchaseId('');
  if (!id.startsWith(prefix)) return;
  const [paid] = all<{ credits: number; usdCents: number }>(
    sql,
    `update topUp set state = 'succeeded', reason = null, payment = ?, endedAtMs = coalesce(endedAtMs, ?), dueAtMs = null
      where paymentIntent = ? and state <> 'succeeded' returning credits, usdCents`,
    payment,
    nowMs,
    id.slice(prefix.length),
  );
  if (paid) addNotice(sql, { what: 'charged', ...paid, atMs: nowMs });
};

/** What another card does not mend overrides what it does. */
const weightOf = (pause: TopUpPause | null): number =>
  pause === 'disputed' ? 3 : pause === 'refunded' ? 2 : pause ? 1 : 0;

/** Begins nothing until the owner switches it on again, and tells the owner once. A dispute switches it off. */
export const pauseTopUp = (
  sql: SqlStorage,
  pause: TopUpPause,
  nowMs: number,
  of: { readonly credits: number; readonly usdCents: number } | null = null,
): void => {
  const setting = readSetting(sql);
  if (!setting.isOn || weightOf(pause) <= weightOf(setting.pause)) return;
  saveSetting(sql, { ...setting, isOn: pause !== 'disputed', pause });
  stopOpenTopUp(sql, nowMs);
  addNotice(sql, { what: pause, credits: of?.credits ?? null, usdCents: of?.usdCents ?? null, atMs: nowMs });
};

/** One that Stripe was not asked for ends now; one that it was asked for is closed there by the alarm, unless it is paid. */
export const stopOpenTopUp = (sql: SqlStorage, nowMs: number): void => {
  const open = openTopUp(sql);
  if (open?.state === 'due') endTopUp(sql, open.number, 'stopped', nowMs);
  if (open?.state === 'asked')
    sql.exec('update topUp set isUnwanted = 1, dueAtMs = ? where number = ?', nowMs, open.number);
};
