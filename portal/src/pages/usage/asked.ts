/** What the page of usage is asked for: all of it is in its address, so that a link shows the same figures. Pure. */
import { utcDay } from '../../../../shared/clock.ts';

const DAY_MS = 86_400_000;

/** Days are UTC, both included. `by`: what bars are stacked by; `show`: what they count. */
export type Asked = {
  readonly from: string;
  readonly to: string;
  readonly mode: string;
  readonly key: string;
  readonly marketplace: string;
  readonly by: string;
  readonly show: string;
};
type Range = Pick<Asked, 'from' | 'to'>;

const lastDays = (days: number, nowMs: number): Range => ({
  from: utcDay(nowMs - (days - 1) * DAY_MS),
  to: utcDay(nowMs),
});
/** `back`: months before this one. */
const month = (back: number, nowMs: number): Range => {
  const now = new Date(nowMs);
  const [year, at] = [now.getUTCFullYear(), now.getUTCMonth() - back];
  return { from: utcDay(Date.UTC(year, at)), to: utcDay(Math.min(nowMs, Date.UTC(year, at + 1) - DAY_MS)) };
};

export const presets = (nowMs: number): readonly (Range & { readonly name: string })[] => [
  { name: '7 days', ...lastDays(7, nowMs) },
  { name: '30 days', ...lastDays(30, nowMs) },
  { name: '90 days', ...lastDays(90, nowMs) },
  { name: 'This month', ...month(0, nowMs) },
  { name: 'Last month', ...month(1, nowMs) },
];

type Query = Readonly<Record<string, string | undefined>>;

export const askedOf = (query: Query, nowMs: number): Asked => {
  const range = lastDays(30, nowMs);
  return {
    from: query['from'] ?? range.from,
    to: query['to'] ?? range.to,
    mode: query['mode'] ?? 'live',
    key: query['key'] ?? '',
    marketplace: query['marketplace'] ?? '',
    by: query['by'] ?? 'outcome',
    show: query['show'] === 'requests' ? 'requests' : 'images',
  };
};

/** Of the address; the service is asked for the same without `show`. */
export const addressOf = (asked: Asked): string =>
  new URLSearchParams(Object.entries(asked).filter(([, value]) => value !== '')).toString();
export const queryOf = ({ show: _show, ...asked }: Asked): string => addressOf({ ...asked, show: '' });
