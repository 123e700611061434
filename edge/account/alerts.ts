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
type Telling = { readonly sql: SqlStorage; readonly now: () => number; readonly accountId: () => string };

/**
 * Tells what is due. A crossing is given up where its first try is `triesMsMax` ago: later a mail API would not know a
 * repeat as such.
 */
export const tellCrossings = async (telling: Telling, tell: TellCrossing): Promise<void> => {
  const due = all<Due>(
    telling.sql,
    `select ${COLUMNS}, tries, firstTryAtMs from balanceCrossing where dueAtMs <= ? order by crossing limit ?`,
    telling.now(),
    crossingsPerAlarm,
  );
  for (const crossing of due) await tellOne(telling, crossing, tell);
};

const tellOne = async ({ sql, now, accountId }: Telling, due: Due, tell: TellCrossing): Promise<void> => {
  const { tries, firstTryAtMs, ...crossing } = due;
  const fields = { account_id: accountId(), crossing: crossing.crossing, tries: tries + 1 };
  const done = (): unknown => sql.exec('update balanceCrossing set dueAtMs = null where crossing = ?', due.crossing);
  if (firstTryAtMs !== null && now() > firstTryAtMs + triesMsMax) {
    logEvent('error', 'low_balance_not_told', { ...fields, tries });
    done();
    return;
  }
  // Written before the call: after a crash in it the first try is still known.
  sql.exec(
    'update balanceCrossing set tries = ?, firstTryAtMs = ?, dueAtMs = ? where crossing = ?',
    tries + 1,
    firstTryAtMs ?? now(),
    now() + backoffMs(tries, retry),
    due.crossing,
  );
  try {
    await tell(accountId(), crossing);
    done();
  } catch (error) {
    logEvent('warn', 'low_balance_told_later', { ...fields, error: errorText(error) });
  }
};
