/**
 * The leases this node holds. One timer renews them all. A lease that could not be renewed in time is given up here
 * before the database gives it to another node,
 * by a clock that started before the database's did, so that no job is ever run by two live nodes at once.
 */
import type { Journal } from '../db/journal.ts';

export type Leases = {
  /** Counts from `sentAt`, the time before the claim was sent. `onLost` is called once, unless `drop` came first. */
  hold(jobId: string, fence: bigint, sentAt: number, onLost: () => void): void;
  drop(jobId: string): void;
  held(): number;
  /** Renews all and gives up what has run out; what the timer calls. */
  renew(): Promise<void>;
  stop(): void;
};

type Held = { readonly fence: bigint; validUntil: number; readonly onLost: () => void };

/**
 * Renewed three times per lease; given up when a tenth is left, for what happens between the decision and the job's
 * real end.
 */
const RENEWALS_PER_LEASE = 3;
const SAFETY_SHARE = 0.1;

export const createLeases = (
  journal: Pick<Journal, 'renew'>,
  leaseMs: number,
  now: () => number,
  onFault: (error: unknown) => void,
): Leases => {
  const leases = new Map<string, Held>();
  const validFrom = (sentAt: number): number => sentAt + leaseMs * (1 - SAFETY_SHARE);

  const giveUp = (jobId: string, lease: Held): void => {
    if (leases.get(jobId) !== lease) return;
    leases.delete(jobId);
    lease.onLost();
  };
  const giveUpExpired = (): void => {
    for (const [jobId, lease] of leases) if (now() >= lease.validUntil) giveUp(jobId, lease);
  };

  let renewing = false;
  const renew = async (): Promise<void> => {
    if (renewing || leases.size === 0) return;
    renewing = true;
    const sentAt = now();
    const sent = [...leases];
    try {
      const kept = await journal.renew(sent.map(([jobId, lease]) => ({ jobId, fence: lease.fence })));
      for (const [jobId, lease] of sent) {
        if (kept.has(jobId)) lease.validUntil = validFrom(sentAt);
        else giveUp(jobId, lease);
      }
    } catch (error) {
      onFault(error);
    } finally {
      renewing = false;
    }
  };

  const renewTimer = setInterval(() => void renew(), leaseMs / RENEWALS_PER_LEASE);
  const expiryTimer = setInterval(giveUpExpired, leaseMs * SAFETY_SHARE * 0.5);
  renewTimer.unref();
  expiryTimer.unref();
  return {
    hold: (jobId, fence, sentAt, onLost) => void leases.set(jobId, { fence, validUntil: validFrom(sentAt), onLost }),
    drop: (jobId) => void leases.delete(jobId),
    held: () => leases.size,
    renew: async () => (giveUpExpired(), renew()),
    stop: () => (clearInterval(renewTimer), clearInterval(expiryTimer)),
  };
};
