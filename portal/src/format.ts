/** Numbers and times as pages show them. Times are the reader's own; the exact UTC time is in the title. */
import { usdString } from '../../shared/credits.ts';

const whole = new Intl.NumberFormat('en-US');
export const count = (n: number): string => whole.format(n);
/** Credits as dollars: 1000 → "$250.00". */
export const dollars = (credits: number): string => usdString(credits).replace(/\B(?=(\d{3})+(?!\d))/g, ',');
export const signed = (n: number): string => (n > 0 ? `+${count(n)}` : n < 0 ? `−${count(-n)}` : '0');
export const plural = (n: number, one: string, many = `${one}s`): string => `${count(n)} ${n === 1 ? one : many}`;

const dateTime = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});
const date = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
export const timeText = (iso: string): string => dateTime.format(new Date(iso));
export const dateText = (iso: string): string => date.format(new Date(iso));
export const dayText = (isoDay: string): string => day.format(new Date(`${isoDay}T00:00:00Z`));

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const STEPS = [
  [60, 'second'],
  [60, 'minute'],
  [24, 'hour'],
  [30, 'day'],
  [12, 'month'],
  [Infinity, 'year'],
] as const;
/** "3 minutes ago". */
export const ago = (iso: string, nowMs = Date.now()): string => {
  let n = Math.min(0, (new Date(iso).getTime() - nowMs) / 1000);
  for (const [size, unit] of STEPS) {
    if (Math.abs(n) < size) return unit === 'second' && n > -10 ? 'just now' : relative.format(Math.round(n), unit);
    n /= size;
  }
  return date.format(new Date(iso));
};
/** Milliseconds, at most three figures: "840 ms", "1.42 s". */
export const duration = (ms: number): string =>
  ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
export const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;
