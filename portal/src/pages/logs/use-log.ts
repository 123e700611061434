import { useEffect, useState } from 'preact/hooks';
import type { LogPage, LogRow } from '../../../../shared/portal-api.ts';
import { get } from '../../api.ts';
import { usePages } from '../../use-pages.ts';

const TAIL_MS = 2_000;
const ROWS_SHOWN_MAX = 1_000;

/** As the address has them; empty: anything. Days are UTC, both included. */
export const noFilter = { key: '', status: '', error: '', marketplace: '', name: '', from: '', to: '' };
export type Filter = Readonly<typeof noFilter>;

export const filterOf = (query: Readonly<Record<string, string | undefined>>): Filter => ({
  key: query['key'] ?? '',
  status: query['status'] ?? '',
  error: query['error'] ?? '',
  marketplace: query['marketplace'] ?? '',
  name: query['name'] ?? '',
  from: query['from'] ?? '',
  to: query['to'] ?? '',
});

export const queryOf = (filter: Filter, more: Record<string, string> = {}): string =>
  new URLSearchParams(Object.entries({ ...filter, ...more }).filter(([, value]) => value !== '')).toString();

/** Rows of one filter: the first page, further pages on demand, and new rows while the tail is on. */
export const useLog = (filter: Filter, live: boolean) => {
  const search = queryOf(filter);
  const { rows: paged, first, cursor, more } = usePages<LogPage>(`/logs?${search}`);
  const [newer, setNewer] = useState<readonly LogRow[]>([]);
  useEffect(() => setNewer([]), [first.value]);
  const rows = [...newer, ...paged];
  const newest = rows[0]?.request_id ?? '';
  useEffect(() => {
    if (!live || !first.value) return;
    const timer = setInterval(async () => {
      if (document.hidden) return;
      const answer = await get<LogPage>(`/logs?${queryOf(filter, { after: newest })}`);
      if (!answer.ok || answer.value.rows.length === 0) return;
      setNewer((before) => {
        const known = new Set(before.map((row) => row.request_id));
        return [...answer.value.rows.filter((row) => !known.has(row.request_id)), ...before].slice(0, ROWS_SHOWN_MAX);
      });
    }, TAIL_MS);
    return () => clearInterval(timer);
  }, [live, search, newest, first.value]);
  return { rows, first, cursor, more };
};
