/** What the portal's tables may forget: a bounded number of rows at each scheduled run. */
import { limits } from '../../shared/limits.ts';

const iso = (ms: number): string => new Date(ms).toISOString();

/** Rows removed. An address that was never confirmed is free again after a week. */
export const sweepPortal = async (db: D1Database, nowMs: number): Promise<number> => {
  const { sweepRowsMax, unconfirmedMs, signInWindowMs } = limits.portal;
  const expired = (table: string, where: string, value: string | number): D1PreparedStatement =>
    db
      .prepare(
        `delete from "${table}" where rowid in (select rowid from "${table}" where ${where} limit ${sweepRowsMax})`,
      )
      .bind(value);
  const results = await db.batch([
    expired('session', '"expiresAt" < ?', iso(nowMs)),
    expired('verification', '"expiresAt" < ?', iso(nowMs)),
    expired('user', '"emailVerified" = 0 and "createdAt" < ?', iso(nowMs - unconfirmedMs)),
    expired('sign_in_attempts', 'window_started_at < ?', nowMs - signInWindowMs),
    expired('rateLimit', '"lastRequest" < ?', nowMs - signInWindowMs),
    expired('test_checkouts', 'created_at < ?', nowMs - limits.payments.testCheckoutMs),
  ]);
  return results.reduce((sum, { meta }) => sum + meta.changes, 0);
};
