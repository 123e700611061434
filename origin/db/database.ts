/**
 * A bounded pool on Postgres, and one way to ask it something: with patience while the server restarts, and none beyond
 * that.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool, type PoolConfig, type QueryResultRow } from 'pg';
import { limits } from '../../shared/limits.ts';

export type Row = QueryResultRow;
export type Database = {
  /**
   * Runs one statement. Repeated while the server cannot be reached, so it must be safe to repeat. Throws
   * DatabaseUnavailable, or pg's error for a bug.
   */
  query<T extends Row>(text: string, values?: readonly unknown[]): Promise<T[]>;
  /** Runs several statements in one transaction on one connection; not repeated. */
  transaction<T>(
    work: (query: <R extends Row>(text: string, values?: readonly unknown[]) => Promise<R[]>) => Promise<T>,
  ): Promise<T>;
  stats(): { total: number; idle: number; waiting: number };
  close(): Promise<void>;
};

export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
}

/**
 * Class 08: connection; 57P01–57P05: shutdown, crash, starting, dropped; 53300: too many connections; 25006: a standby
 * not yet promoted.
 */
const PASSING_STATES = /^(08...|57P0[1-5]|53300|25006)$/;
const PASSING_ERRNO = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
  'ENOTFOUND',
]);

const mayPass = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  if (
    'code' in error &&
    typeof error.code === 'string' &&
    (PASSING_STATES.test(error.code) || PASSING_ERRNO.has(error.code))
  )
    return true;
  return /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|not queryable|Query read timeout/.test(
    error.message,
  );
};

/** Repeats `work` on connection errors, with growing pauses, for limits.database.retryMsMax at most. */
const withPatience = async <T>(work: () => Promise<T>): Promise<T> => {
  const startedAt = performance.now();
  for (
    let pauseMs: number = limits.database.retryDelayMsBase;
    ;
    pauseMs = Math.min(pauseMs * 2, limits.database.retryDelayMsMax)
  ) {
    try {
      return await work();
    } catch (error) {
      if (!mayPass(error)) throw error;
      if (performance.now() - startedAt + pauseMs > limits.database.retryMsMax)
        throw new DatabaseUnavailable('the database cannot be reached', { cause: error });
      await sleep(pauseMs);
    }
  }
};

/** `onError` hears of idle connections that broke; the pool replaces them by itself. */
export const openDatabase = (connection: PoolConfig, poolMax: number, onError: (error: Error) => void): Database => {
  const pool = new Pool({
    ...connection,
    max: poolMax,
    connectionTimeoutMillis: limits.database.connectMsMax,
    statement_timeout: limits.database.statementMsMax,
    // The server may be frozen rather than gone; its own timeout would then never come.
    query_timeout: limits.database.statementMsMax + 1_000,
    idle_in_transaction_session_timeout: limits.database.statementMsMax,
    application_name: 'packshot-origin',
    keepAlive: true,
  });
  pool.on('error', onError);
  return {
    query: (text, values = []) => withPatience(async () => (await pool.query(text, [...values])).rows),
    transaction: async (work) => {
      const client = await withPatience(() => pool.connect());
      let broken: Error | undefined;
      client.on('error', (error: Error) => void (broken = error));
      try {
        await client.query('begin');
        const result = await work(async (text, values = []) => (await client.query(text, [...values])).rows);
        await client.query('commit');
        return result;
      } catch (error) {
        await client.query('rollback').catch((rollbackError: Error) => void (broken = rollbackError));
        throw error;
      } finally {
        client.release(broken);
      }
    },
    stats: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: () => pool.end(),
  };
};
