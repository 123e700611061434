/**
 * The leases this node holds. One timer renews them all. A lease that could not be renewed in time is given up here
 * before the database gives it to another node, by a clock that started before the database's did, so that no job is
 * ever run by two live nodes at once.
 */
import type { Clock } from '../../shared/clock.ts';
import type { JobStore } from '../db/job-store.ts';

export type Leases = {
  /** Counts from `sentAtMs`, the time before the claim was sent. `onLost` is called once, unless `drop` came first. */
  hold(jobId: string, fencingToken: bigint, sentAtMs: number, onLost: () => void): void;
  drop(jobId: string): void;
  held(): number;
  /** Renews all and gives up what has run out; what the timer calls. */
  renew(): Promise<void>;
  stop(): void;
};
export type LeaseOptions = {
  readonly leaseMs: number;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly onFault: (error: unknown) => void;
};

type Held = { readonly fencingToken: bigint; validUntilMs: number; readonly onLost: () => void };

/**
 * Renewed three times per lease; given up when a tenth is left, for what happens between the decision and the job's
 * real end.
 */
const RENEWALS_PER_LEASE = 3;
const SAFETY_SHARE = 0.1;

export const createLeases = (jobStore: Pick<JobStore, 'renew'>, { leaseMs, clock, onFault }: LeaseOptions): Leases => {
  const leases = new Map<string, Held>();
  const validUntilMs = (sentAtMs: number): number => sentAtMs + leaseMs * (1 - SAFETY_SHARE);

  const giveUp = (jobId: string, lease: Held): void => {
    if (leases.get(jobId) !== lease) return;
    leases.delete(jobId);
    lease.onLost();
  };
  const giveUpExpired = (): void => {
    for (const [jobId, lease] of leases) if (clock.nowMs() >= lease.validUntilMs) giveUp(jobId, lease);
  };

  let renewing = false;
  const renewAll = async (): Promise<void> => {
    if (renewing || leases.size === 0) return;
    renewing = true;
    const sentAtMs = clock.nowMs();
    const sent = [...leases];
    try {
      const renewed = await jobStore.renew(sent.map(([jobId, { fencingToken }]) => ({ jobId, fencingToken })));
      for (const [jobId, lease] of sent) {
        if (renewed.has(jobId)) lease.validUntilMs = validUntilMs(sentAtMs);
        else giveUp(jobId, lease);
      }
    } catch (error) {
      onFault(error);
    } finally {
      renewing = false;
    }
  };

  const renewTimer = setInterval(() => void renewAll(), leaseMs / RENEWALS_PER_LEASE);
  const expiryTimer = setInterval(giveUpExpired, leaseMs * SAFETY_SHARE * 0.5);
  renewTimer.unref();
  expiryTimer.unref();
  return {
    hold: (jobId, fencingToken, sentAtMs, onLost) => {
      leases.set(jobId, { fencingToken, validUntilMs: validUntilMs(sentAtMs), onLost });
    },
    drop: (jobId) => {
      leases.delete(jobId);
    },
    held: () => leases.size,
    renew: () => {
      giveUpExpired();
      return renewAll();
    },
    stop: () => {
      clearInterval(renewTimer);
      clearInterval(expiryTimer);
    },
  };
};
