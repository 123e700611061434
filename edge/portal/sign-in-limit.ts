/**
 * Attempts to sign in, counted per mail address, whether or not it has an account: this guards one account against many
 * clients, and does not reveal whether it exists.
 */
import { sha256 } from '../../shared/digest.ts';
import { edgeLimits } from '../limits.ts';

const COUNT = `
  insert into sign_in_attempts (address_sha256, attempts, window_started_at) values (?1, 1, ?2)
  on conflict (address_sha256) do update set
    attempts = case when window_started_at <= ?3 then 1 else attempts + 1 end,
    window_started_at = case when window_started_at <= ?3 then ?2 else window_started_at end
  returning attempts, window_started_at as startedAt`;

const addressHash = (email: string): Promise<string> => sha256(email.trim().toLowerCase());

/** Counts this attempt in one atomic statement. */
export const countAttempt = async (
  db: D1Database,
  email: string,
  nowMs: number,
): Promise<{ allowed: boolean; retryAfterSeconds: number }> => {
  const windowMs = edgeLimits.portal.signInWindowMs;
  const row = await db
    .prepare(COUNT)
    .bind(await addressHash(email), nowMs, nowMs - windowMs)
    .first<{ attempts: number; startedAt: number }>();
  const { attempts, startedAt } = row ?? { attempts: 1, startedAt: nowMs };
  return {
    allowed: attempts <= edgeLimits.portal.signInAttemptsMax,
    retryAfterSeconds: Math.ceil((startedAt + windowMs - nowMs) / 1000),
  };
};

export const clearAttempts = async (db: D1Database, email: string): Promise<void> =>
  void (await db
    .prepare('delete from sign_in_attempts where address_sha256 = ?')
    .bind(await addressHash(email))
    .run());
