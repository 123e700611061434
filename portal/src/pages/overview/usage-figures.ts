/** The numbers of the usage chart. Pure. */
import type { UsageDay } from '../../../../shared/portal-api.ts';

/** A round number at or above the highest bar, so that grid lines carry whole numbers. */
export const ceiling = (max: number): number => {
  if (max <= 4) return 4;
  const step = 10 ** Math.floor(Math.log10(max));
  return [1, 2, 4, 5, 8, 10].map((n) => n * step).find((n) => n >= max) ?? 10 * step;
};

export const sum = (days: readonly UsageDay[], field: 'completed' | 'failed' | 'requests' | 'errors'): number =>
  days.reduce((total, day) => total + day[field], 0);

/** Mean over the days, each weighted by its requests; null where no day has one. */
export const weighted = (days: readonly UsageDay[], field: 'p50_ms' | 'p95_ms'): number | null => {
  const known = days.filter((day) => day[field] !== null && day.requests > 0);
  const weight = sum(known, 'requests');
  return weight === 0 ? null : known.reduce((total, day) => total + (day[field] ?? 0) * day.requests, 0) / weight;
};
