/** The rows of automatic top-up. Callers hold the transaction. */
import { edgeLimits } from '../../limits.ts';
import { all, first } from '../../sqlite/rows.ts';
import type { SavedCard, TopUp, TopUpNotice, TopUpPause, TopUpState, TopUpTerms } from './port.ts';

type SettingRow = {
  readonly isOn: number;
  readonly isClosed: number;
  readonly level: number | null;
  readonly credits: number | null;
  readonly usdCents: number | null;
  readonly monthlyLimitCents: number | null;
  readonly pause: TopUpPause | null;
  readonly waitUntilMs: number | null;
  readonly waitFor: 'month' | 'stripe' | null;
  readonly card: string | null;
  readonly cardChangedAtMs: number;
};

export type Setting = {
  readonly isOn: boolean;
  readonly isClosed: boolean;
  readonly terms: TopUpTerms | null;
  readonly pause: TopUpPause | null;
  readonly waiting: { readonly for: 'month' | 'stripe'; readonly untilMs: number } | null;
  readonly card: SavedCard | null;
  readonly cardChangedAtMs: number;
};

const NOTHING: Setting = {
  isOn: false,
  isClosed: false,
  terms: null,
  pause: null,
  waiting: null,
  card: null,
  cardChangedAtMs: 0,
};

const termsOf = ({ level, credits, usdCents, monthlyLimitCents }: SettingRow): TopUpTerms | null =>
  level === null || credits === null || usdCents === null || monthlyLimitCents === null
    ? null
    : { level, pack: { credits, usdCents }, monthlyLimitCents };

export const readSetting = (sql: SqlStorage): Setting => {
  const row = first<SettingRow>(sql, 'select * from topUpSetting');
  if (!row) return NOTHING;
  const { isOn, isClosed, pause, waitFor, waitUntilMs, card, cardChangedAtMs } = row;
  return {
    isOn: isOn === 1,
    isClosed: isClosed === 1,
    terms: termsOf(row),
    pause,
    waiting: waitFor === null || waitUntilMs === null ? null : { for: waitFor, untilMs: waitUntilMs },
    card: card === null ? null : (JSON.parse(card) as SavedCard),
    cardChangedAtMs,
  };
};

/** Also the level that every movement is compared with: null unless one may be begun. */
export const saveSetting = (sql: SqlStorage, setting: Setting): void => {
  const { isOn, isClosed, terms, pause, waiting, card, cardChangedAtMs } = setting;
  sql.exec(
    `insert or replace into topUpSetting
      (id, isOn, isClosed, level, credits, usdCents, monthlyLimitCents, pause, waitUntilMs, waitFor, card, cardChangedAtMs)
      values (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    Number(isOn),
    Number(isClosed),
    terms?.level ?? null,
    terms?.pack.credits ?? null,
    terms?.pack.usdCents ?? null,
    terms?.monthlyLimitCents ?? null,
    pause,
    waiting?.untilMs ?? null,
    waiting?.for ?? null,
    card && JSON.stringify(card),
    cardChangedAtMs,
  );
  const level = isOn && pause === null && card !== null ? (terms?.level ?? null) : null;
  sql.exec('update account set topUpLevel = ?', level);
};

/** Null while none is to be begun. */
export const readTopUpLevel = (sql: SqlStorage): number | null =>
  first<{ level: number | null }>(sql, 'select topUpLevel as level from account')?.level ?? null;

export type TopUpRow = TopUp & { readonly isUnwanted: number; readonly tries: number; readonly dueAtMs: number | null };

/** The one that is open, if any. */
export const openTopUp = (sql: SqlStorage): TopUpRow | undefined =>
  first<TopUpRow>(sql, 'select * from topUp where endedAtMs is null');
export const topUpByNumber = (sql: SqlStorage, number: number): TopUpRow | undefined =>
  first<TopUpRow>(sql, 'select * from topUp where number = ?', number);
export const lastTopUps = (sql: SqlStorage): TopUp[] =>
  all<TopUpRow>(sql, 'select * from topUp order by number desc limit ?', edgeLimits.topUp.shownMax).map(
    ({ isUnwanted: _, tries: __, dueAtMs: ___, ...shown }) => shown,
  );

/**
 * Cents that count against the limit of the UTC month which began at `monthMs`: of every top-up that was, or may have
 * been, charged and was open at any moment of it. One that is open over the end of a month counts in both, so that
 * neither month's charges pass the limit.
 */
export const monthCents = (sql: SqlStorage, monthMs: number): number =>
  first<{ cents: number | null }>(
    sql,
    `select sum(usdCents) as cents from topUp
      where (endedAtMs is null or endedAtMs >= ?) and state in ('due', 'asked', 'paid', 'succeeded')`,
    monthMs,
  )?.cents ?? 0;

export const endTopUp = (
  sql: SqlStorage,
  number: number,
  state: Extract<TopUpState, 'declined' | 'failed' | 'stopped'>,
  nowMs: number,
  reason: TopUpPause | null = null,
): void => {
  sql.exec(
    'update topUp set state = ?, reason = ?, endedAtMs = ?, dueAtMs = null where number = ? and endedAtMs is null',
    state,
    reason,
    nowMs,
    number,
  );
};

/** What brought no credits goes sooner: no sum needs it, and a balance that falls and rises makes many. */
export const forgetOld = (sql: SqlStorage, nowMs: number): void => {
  const { keptMs, fruitlessKeptMax } = edgeLimits.topUp;
  sql.exec('delete from topUp where endedAtMs < ?', nowMs - keptMs);
  sql.exec(
    `delete from topUp where state in ('declined', 'failed', 'stopped') and number <= (select max(number) from topUp) - ?`,
    fruitlessKeptMax,
  );
};

export const addNotice = (sql: SqlStorage, { what, credits, usdCents, atMs }: Omit<TopUpNotice, 'notice'>): void => {
  sql.exec(
    'insert into topUpNotice (what, credits, usdCents, atMs, dueAtMs) values (?, ?, ?, ?, ?)',
    what,
    credits,
    usdCents,
    atMs,
    atMs,
  );
  sql.exec(
    'delete from topUpNotice where notice <= (select max(notice) from topUpNotice) - ?',
    edgeLimits.topUp.noticesKeptMax,
  );
};

export const detachLater = (sql: SqlStorage, paymentMethod: string, nowMs: number): void => {
  sql.exec(
    'insert into cardToDetach (paymentMethod, dueAtMs) values (?, ?) on conflict do nothing',
    paymentMethod,
    nowMs,
  );
};
