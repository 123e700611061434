import { count } from '../format.ts';
import { type Standing, standings } from './shown-photo.ts';

export type Filter = 'all' | 'ready' | 'needs_a_look' | 'retake' | 'failed' | 'unfinished';

const UNFINISHED: readonly Standing[] = ['running', 'queued', 'sending', 'waiting'];
export const passes = (filter: Filter, standing: Standing): boolean =>
  filter === 'all' || (filter === 'unfinished' ? UNFINISHED.includes(standing) : filter === standing);

type Counts = Readonly<Record<Standing, number>>;
const countOf = (filter: Filter, counts: Counts): number =>
  (Object.entries(counts) as [Standing, number][]).reduce(
    (sum, [standing, n]) => sum + (passes(filter, standing) ? n : 0),
    0,
  );

const filters: readonly (readonly [Filter, string])[] = [
  ['all', 'All'],
  ['ready', standings.ready.name],
  ['needs_a_look', standings.needs_a_look.name],
  ['retake', standings.retake.name],
  ['failed', standings.failed.name],
  ['unfinished', 'Unfinished'],
];

type Props = { filter: Filter; counts: Counts; onFilter: (filter: Filter) => void };

/** By verdict; what there is none of cannot be chosen. */
export const FilterTabs = ({ filter, counts, onFilter }: Props) => (
  <fieldset class="filter-tabs">
    <legend class="visually-hidden">Show</legend>
    {filters.map(([value, name]) => {
      const photos = countOf(value, counts);
      return (
        <button
          key={value}
          type="button"
          aria-pressed={filter === value}
          disabled={photos === 0 && filter !== value && value !== 'all'}
          onClick={() => onFilter(value)}
        >
          {name} <span class="num">{count(photos)}</span>
        </button>
      );
    })}
  </fieldset>
);
