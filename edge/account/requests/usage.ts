/** Use of an account by day: images from its ledger, requests from its log. The two may live in different objects. */
import { edgeLimits } from '../../limits.ts';
import type { LedgerPort, SettledDay } from '../ledger/port.ts';
import type { RequestDay, RequestLogPort } from './port.ts';

/** One UTC day, `day` as YYYY-MM-DD. */
export type UsageDay = SettledDay & RequestDay;

type Sources = {
  readonly ledger: Pick<LedgerPort, 'settledByDay'>;
  readonly requests: Pick<RequestLogPort, 'requestsByDay'>;
};

const DAY_MS = 86_400_000;
/** A day without any use. */
export const quietDay = (day: string): UsageDay => ({
  day,
  posted: 0,
  voided: 0,
  requests: 0,
  errors: 0,
  p50Ms: null,
  p95Ms: null,
});

/** Oldest first; days without any use are left out. At most `edgeLimits.ledger.usageDaysMax` days back. */
export const usageByDay = async (
  { ledger, requests }: Sources,
  sinceMs: number,
  nowMs: number,
): Promise<readonly UsageDay[]> => {
  const fromMs = Math.max(sinceMs, nowMs - edgeLimits.ledger.usageDaysMax * DAY_MS);
  const [settled, asked] = await Promise.all([ledger.settledByDay(fromMs), requests.requestsByDay(fromMs)]);
  const byDay = new Map<string, UsageDay>();
  for (const row of [...settled, ...asked])
    byDay.set(row.day, { ...(byDay.get(row.day) ?? quietDay(row.day)), ...row });
  return [...byDay.values()].sort((a, b) => (a.day < b.day ? -1 : 1));
};
