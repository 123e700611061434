/**
 * Counts an account's checks. What was used is one row, so that an evicted object forgets none; which checks run is in
 * memory: an object that was evicted has had no request for longer than they take.
 */
import { limits } from '../../../shared/limits.ts';
import { edgeLimits } from '../../limits.ts';
import { first, put } from '../../sqlite/rows.ts';
import type { BeginCheckReply } from './port.ts';
import { type CheckUse, noChecks, quotasOf, spentQuota, useAt, withOneMore } from './quota.ts';

export const createChecks = (sql: SqlStorage, now: () => number) => {
  /** Check id → when it no longer counts as running, ms. */
  const running = new Map<string, number>();

  return {
    begin: (checkId: string): BeginCheckReply => {
      const nowMs = now();
      for (const [id, endsAtMs] of running) if (endsAtMs <= nowMs) running.delete(id);
      const use = useAt(first<CheckUse>(sql, 'select minute, inMinute, day, inDay from checkUse') ?? noChecks, nowMs);
      const quotas = quotasOf(use, nowMs);
      if (running.has(checkId)) return { result: 'begun', quotas };
      const spent = spentQuota(quotas);
      if (spent) return { result: 'quota_exceeded', quotas, spent };
      if (running.size >= limits.checks.inFlightMax) return { result: 'too_many_running', quotas };
      const taken = withOneMore(use);
      put(sql, 'checkUse', { id: 1, ...taken });
      running.set(checkId, nowMs + edgeLimits.check.slotMsMax);
      return { result: 'begun', quotas: quotasOf(taken, nowMs) };
    },
    end: (checkId: string): void => void running.delete(checkId),
  };
};
