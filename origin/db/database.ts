/** A bounded pool of connections to Postgres, and one way to ask it something: a restart of the server is waited out. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool, type PoolConfig, type QueryResultRow } from 'pg';
import { backoffMs } from '../../shared/backoff.ts';
import { originLimits } from '../limits.ts';

export type Database = {
  /**
   * Runs one statement. Repeated while the server cannot be reached, so it must be safe to repeat. Throws
   * DatabaseUnavailable, or pg's error for a bug.
   */
  query<T extends QueryResultRow>(text: string, values?: readonly unknown[]): Promise<T[]>;
  /** Runs several statements in one transaction on one connection; not repeated. */
  transaction<T>(
    work: (query: <R extends QueryResultRow>(text: string, values?: readonly unknown[]) => Promise<R[]>) => Promise<T>,
  ): Promise<T>;
  stats(): { total: number; idle: number; waiting: number };
  close(): Promise<void>;
};

const { connectMsMax, statementMsMax, retryMsMax, retryDelayMsBase, retryDelayMsMax } = originLimits.database;

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

/** What pg says without a code. */
const PASSING_MESSAGES =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|not queryable|Query read timeout/;

const isPassing = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return PASSING_STATES.test(code) || PASSING_ERRNO.has(code) || PASSING_MESSAGES.test(error.message);
};

/** Repeats `work` on connection errors, with growing waits, for originLimits.database.retryMsMax at most. */
const withRetries = async <T>(work: () => Promise<T>): Promise<T> => {
  const giveUpAtMs = performance.now() + retryMsMax;
  for (let attempt = 0; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isPassing(error)) throw error;
      const waitMs = backoffMs(attempt, { baseMs: retryDelayMsBase, capMs: retryDelayMsMax });
      if (performance.now() + waitMs > giveUpAtMs)
        throw new DatabaseUnavailable('the database cannot be reached', { cause: error });
      await sleep(waitMs);
    }
  }
};

/** `onError` is called for an idle connection that broke; the pool replaces it by itself. */
export const openDatabase = (connection: PoolConfig, poolMax: number, onError: (error: Error) => void): Database => {
  const pool = new Pool({
    ...connection,
    max: poolMax,
    connectionTimeoutMillis: connectMsMax,
    statement_timeout: statementMsMax,
    // The server may be frozen rather than gone; its own timeout would then never come.
    query_timeout: statementMsMax + 1_000,
    idle_in_transaction_session_timeout: statementMsMax,
    application_name: 'packshot-origin',
    keepAlive: true,
  });
  pool.on('error', onError);
  return {
    query: (text, values = []) => withRetries(async () => (await pool.query(text, [...values])).rows),
    transaction: async (work) => {
      const client = await withRetries(() => pool.connect());
      let broken: Error | undefined;
      const onBroken = (error: Error): void => {
        broken = error;
      };
      client.on('error', onBroken);
      try {
        await client.query('begin');
        const result = await work(async (text, values = []) => (await client.query(text, [...values])).rows);
        await client.query('commit');
        return result;
      } catch (error) {
        await client.query('rollback').catch(onBroken);
        throw error;
      } finally {
        client.release(broken);
      }
    },
    stats: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: () => pool.end(),
  };
};
