/**
 * Crossings of the account's alert level, written in the transaction of the movement that crossed, and their outbox: told
 * one after the other, each until somebody took it or it is given up. Whoever is told knows a crossing by its number.
 */
import { backoffMs } from '../../shared/backoff.ts';
import { edgeLimits } from '../limits.ts';
import { errorText, logEvent } from '../log.ts';
import { all, first } from '../sqlite/rows.ts';
import type { BalanceAlert, BalanceCrossing, TellCrossing } from './alerts-port.ts';
import type { Crossing } from './ledger/balance-crossing.ts';

const { crossingsKeptMax, crossingsPerAlarm, retry, triesMsMax } = edgeLimits.balanceAlert;
const COLUMNS = 'crossing, level, balance, atMs';

export const readLevel = (sql: SqlStorage): number | null =>
  first<{ level: number | null }>(sql, 'select alertLevel as level from account')?.level ?? null;

export const saveLevel = (sql: SqlStorage, level: number | null): void => {
  sql.exec('update account set alertLevel = ?', level);
};

export const readAlert = (sql: SqlStorage): BalanceAlert => ({
  level: readLevel(sql),
  last: first<BalanceCrossing>(sql, `select ${COLUMNS} from balanceCrossing order by crossing desc limit 1`) ?? null,
});

/** The caller holds the transaction of the movement. */
export const noteCrossing = (sql: SqlStorage, { level, balance }: Crossing, nowMs: number): void => {
  sql.exec(
    'insert into balanceCrossing (level, balance, atMs, dueAtMs) values (?, ?, ?, ?)',
    level,
    balance,
    nowMs,
    nowMs,
  );
  sql.exec(
    'delete from balanceCrossing where crossing <= (select max(crossing) from balanceCrossing) - ?',
    crossingsKeptMax,
  );
};

/** When the next one is to be told; null where none is. */
export const nextTellMs = (sql: SqlStorage): number | null =>
  first<{ atMs: number | null }>(sql, 'select min(dueAtMs) as atMs from balanceCrossing where dueAtMs is not null')
    ?.atMs ?? null;

type Due = BalanceCrossing & { readonly tries: number; readonly firstTryAtMs: number | null };

/** Tells what is due. A crossing is given up `triesMsMax` after its first try, within which a mail API knows a repeat. */
export const tellCrossings = async (
  { sql, now, accountId }: { readonly sql: SqlStorage; readonly now: () => number; readonly accountId: () => string },
  tell: TellCrossing,
): Promise<void> => {
  const due = all<Due>(
    sql,
    `select ${COLUMNS}, tries, firstTryAtMs from balanceCrossing where dueAtMs <= ? order by crossing limit ?`,
    now(),
    crossingsPerAlarm,
  );
  for (const { tries, firstTryAtMs, ...crossing } of due) {
    const beganAtMs = firstTryAtMs ?? now();
    // Written before the call: after a crash in it the first try is still known.
    sql.exec(
      'update balanceCrossing set tries = ?, firstTryAtMs = ?, dueAtMs = ? where crossing = ?',
      tries + 1,
      beganAtMs,
      now() + backoffMs(tries, retry),
      crossing.crossing,
    );
    try {
      await tell(accountId(), crossing);
    } catch (error) {
      const isOver = now() + backoffMs(tries, retry) > beganAtMs + triesMsMax;
      logEvent(isOver ? 'error' : 'warn', isOver ? 'low_balance_not_told' : 'low_balance_told_later', {
        account_id: accountId(),
        crossing: crossing.crossing,
        tries: tries + 1,
        error: errorText(error),
      });
      if (!isOver) continue;
    }
    sql.exec('update balanceCrossing set dueAtMs = null where crossing = ?', crossing.crossing);
  }
};
