/** Days of usage, put together into longer periods. Days are UTC, as YYYY-MM-DD, so that texts sort by time. Pure. */
import { utcDay } from '../../shared/clock.ts';

export type UsagePeriod = 'day' | 'week' | 'month';

/** Days, both included. */
export type DayRange = { readonly from: string; readonly to: string };

const DAY_MS = 86_400_000;
const SUNDAY_TO_MONDAY = 6;
const DAYS = 7;

/** The first day of the period that `day` lies in: itself, its Monday, or the first of its month. */
export const periodStart = (day: string, period: UsagePeriod): string => {
  if (period === 'day') return day;
  if (period === 'month') return `${day.slice(0, 7)}-01`;
  const ms = Date.parse(day);
  return utcDay(ms - ((new Date(ms).getUTCDay() + SUNDAY_TO_MONDAY) % DAYS) * DAY_MS);
};

/** The same marketplaces in any order are one group: sorted, set apart by commas. */
export const marketplaceSet = (names: string): string => names.split(',').sort().join(',');

/** In place of marketplaces: not known, or beyond the groups of a day that are kept. */
export const UNKNOWN_SET = '?';
export const OTHER = '*';
/** In place of a key's id: not known. */
export const UNKNOWN_KEY = '';
