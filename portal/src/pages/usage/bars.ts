/** The bars of the chart of usage: what each period has of each part. Pure. */
import type { UsageReport } from '../../../../shared/portal-api.ts';
import { dayText } from '../../format.ts';

export type Segment = { readonly id: string; readonly label: string; readonly class: string; readonly count: number };
/** `axis`: its name below the chart, short, and no other bar's. */
export type Bar = {
  readonly name: string;
  readonly axis: string;
  readonly segments: readonly Segment[];
  readonly total: number;
};

/** Colours of parts that are no key and no marketplace of their own. */
const OWN = ['several', 'none', 'other', 'unsplit'];

const classOf = (id: string, place: number): string => `usage-part ${OWN.includes(id) ? `of-${id}` : `of-${place}`}`;

type Period = { readonly start: string; readonly end: string };
const month = new Intl.DateTimeFormat('en-GB', { month: 'short', year: 'numeric', timeZone: 'UTC' });

/** A period in words: its day, or its first and its last. Months may be those of two years. */
export const periodText = ({ start, end }: Period, period: UsageReport['period']): string => {
  const days = start === end ? dayText(start) : `${dayText(start)} – ${dayText(end)}`;
  return period === 'month' ? `${days} ${start.slice(0, 4)}` : days;
};

/** Parts below, as the report has them; what failed on top, of all parts together. */
export const barsOf = ({ period: of, periods, parts, rows }: UsageReport, show: string): readonly Bar[] => {
  const byStart = Map.groupBy(rows, ({ start }) => start);
  const isImages = show === 'images';
  return periods.map((period) => {
    const own = byStart.get(period.start) ?? [];
    const good = parts.map(({ id, label }, place): Segment => {
      const row = own.find(({ part }) => part === id);
      const count = row === undefined ? 0 : isImages ? row.completed : row.requests - row.errors;
      const plain = isImages ? 'Delivered' : 'Answered';
      return { id, label: id === 'all' ? plain : label, class: classOf(id, place), count };
    });
    const bad = own.reduce((sum, row) => sum + (isImages ? row.failed : row.errors), 0);
    const failed = { id: 'bad', label: isImages ? 'Failed' : 'Errors', class: 'usage-part of-failed', count: bad };
    const segments = [...good, failed];
    const axis = of === 'month' ? month.format(new Date(period.start)) : dayText(period.start);
    const total = segments.reduce((sum, { count }) => sum + count, 0);
    return { name: periodText(period, of), axis, segments, total };
  });
};
