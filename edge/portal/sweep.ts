/** What the portal does at each scheduled run, bounded: settles payments, and deletes rows that have expired. */
import { sweepAudit } from '../audit/read.ts';
import { edgeLimits } from '../limits.ts';
import { logEvent } from '../log.ts';
import { paymentLimits } from '../payments/limits.ts';
import { redrivePayments } from '../payments/redrive.ts';
import { redriveStore } from '../payments/redrive-store.ts';
import { stripeReader } from '../payments/stripe-client.ts';
import type { Services } from '../ports.ts';
import { type PortalBindings, portalSettings } from './settings.ts';
import { settleDeps } from './settle-deps.ts';
import { forgottenBefore } from './team/invitations.ts';

const iso = (ms: number): string => new Date(ms).toISOString();

/** Answers how many rows went. */
export const sweepPortal = async (db: D1Database, nowMs: number): Promise<number> => {
  const { sweepRowsMax, signIn, authRateKeptMs } = edgeLimits.portal;
  const expired = (table: string, where: string, value: string | number): D1PreparedStatement =>
    db
      .prepare(
        `delete from "${table}" where rowid in (select rowid from "${table}" where ${where} limit ${sweepRowsMax})`,
      )
      .bind(value);
  const results = await db.batch([
    expired('session', '"expiresAt" < ?', iso(nowMs)),
    expired('verification', '"expiresAt" < ?', iso(nowMs)),
    expired('sign_in_trails', 'last_at < ?', nowMs - signIn.forgetMs),
    expired('known_networks', 'seen_at < ?', nowMs - signIn.knownNetworkMs),
    expired('mailed_links', 'expires_at < ?', nowMs),
    expired('counters', 'ends_at < ?', nowMs),
    expired('invitations', 'expires_at < ?', forgottenBefore(nowMs)),
    expired('rateLimit', '"lastRequest" < ?', nowMs - authRateKeptMs),
    expired('test_checkouts', 'created_at < ?', nowMs - paymentLimits.testCheckoutMs),
  ]);
  return results.reduce((sum, { meta }) => sum + meta.changes, await sweepAudit(db, nowMs));
};

/** Payments that no delivery has settled. Throws nothing. */
export const sweepPayments = (
  env: PortalBindings,
  services: Pick<Services, 'accountOf' | 'clock' | 'randomBytes'>,
): Promise<void> => {
  const settings = portalSettings(env);
  const { local, checkout } = settings;
  return redrivePayments({
    ...settleDeps(env.DB, services, settings),
    redrive: redriveStore(env.DB),
    ledgerOf: (accountId) => services.accountOf(accountId).ledger,
    stripe: checkout.kind === 'stripe' ? stripeReader(checkout.secretKey) : null,
    liveOnly: !local,
    log: logEvent,
  });
};
