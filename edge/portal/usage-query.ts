/** What a page or a file of usage is asked for. */

import type { KeyMode } from '../../shared/api-key.ts';
import { utcDay } from '../../shared/clock.ts';
import { isId } from '../../shared/ids.ts';
import { marketplaces } from '../../shared/marketplaces/index.ts';
import { type UsageSplit, usageSplits } from '../../shared/portal-api.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import type { DayRange, UsagePeriod } from '../account/period.ts';
import { edgeLimits } from '../limits.ts';

const DAY_MS = 86_400_000;
const { keptDays } = edgeLimits.usageSplit;
const { byDayMax, byWeekMax } = edgeLimits.portal.usageReport;
const DAYS_DEFAULT = 30;

export type UsageQuery = {
  readonly range: DayRange;
  readonly keptFrom: string;
  readonly period: UsagePeriod;
  readonly mode: KeyMode;
  readonly by: UsageSplit;
  readonly keyId: string | undefined;
  readonly marketplace: string | undefined;
};
export type UsageRefusal = { readonly code: 'invalid_range' | 'invalid_request'; readonly detail: string };

/** A day of the calendar as YYYY-MM-DD: 30 February is none. */
const isDay = (text: string): boolean => {
  const ms = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(ms) && utcDay(ms) === text;
};
const daysIn = ({ from, to }: DayRange): number => (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;

const periodOf = (range: DayRange): UsagePeriod => {
  const days = daysIn(range);
  return days <= byDayMax ? 'day' : days <= byWeekMax ? 'week' : 'month';
};

/** Without a range: the last 30 days, today included. */
const readRange = (from: string | undefined, to: string | undefined, nowMs: number): Result<DayRange, UsageRefusal> => {
  const [today, keptFrom] = [utcDay(nowMs), keptFromOf(nowMs)];
  const range = {
    from: from || utcDay(Date.parse(to && isDay(to) ? to : today) - (DAYS_DEFAULT - 1) * DAY_MS),
    to: to || today,
  };
  if (isDay(range.from) && isDay(range.to) && keptFrom <= range.from && range.from <= range.to && range.to <= today)
    return ok(range);
  const detail = `from and to are UTC days such as ${today}, from not after to, between ${keptFrom} and ${today}: usage is kept for ${keptDays} days.`;
  return fail({ code: 'invalid_range', detail });
};
const keptFromOf = (nowMs: number): string => utcDay(nowMs - (keptDays - 1) * DAY_MS);

type Asked = Readonly<Record<string, string | undefined>>;
const isSplit = (by: string): by is UsageSplit => (usageSplits as readonly string[]).includes(by);

export const readUsageQuery = (asked: Asked, nowMs: number): Result<UsageQuery, UsageRefusal> => {
  const { key, marketplace, mode = 'live', by = 'outcome' } = asked;
  const refused = (detail: string) => fail({ code: 'invalid_request', detail } as const);
  if (key && !isId('apiKey', key)) return refused('This is not a key id.');
  if (marketplace && !Object.hasOwn(marketplaces, marketplace)) return refused('This is not a marketplace.');
  if (mode !== 'live' && mode !== 'test') return refused('mode is live or test.');
  if (!isSplit(by)) return refused(`by is ${usageSplits.slice(0, -1).join(', ')} or ${usageSplits.at(-1)}.`);
  const range = readRange(asked['from'], asked['to'], nowMs);
  if (!range.ok) return range;
  return ok({
    range: range.value,
    keptFrom: keptFromOf(nowMs),
    period: periodOf(range.value),
    mode,
    by,
    keyId: key || undefined,
    marketplace: marketplace || undefined,
  });
};

/** All periods of the range, the first and the last cut at its ends. */
export const periodsOf = ({ range: { from, to }, period }: UsageQuery): readonly { start: string; end: string }[] => {
  const periods: { start: string; end: string }[] = [];
  for (let start = from; start <= to; ) {
    const next = nextPeriod(start, period);
    const last = utcDay(Date.parse(next) - DAY_MS);
    periods.push({ start, end: last < to ? last : to });
    start = next;
  }
  return periods;
};

const nextPeriod = (day: string, period: UsagePeriod): string => {
  const date = new Date(`${day}T00:00:00Z`);
  if (period === 'month') return utcDay(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1));
  const days = period === 'day' ? 1 : 7 - ((date.getUTCDay() + 6) % 7);
  return utcDay(date.getTime() + days * DAY_MS);
};
