/** A list page by page: the first page as a query has it, further ones on demand. */
import { useRef, useState } from 'preact/hooks';
import { get } from './api.ts';
import { useQuery } from './use-query.ts';

type Page = { readonly rows: readonly unknown[]; readonly next_cursor: string | null };
type Older<P extends Page> = {
  readonly of: P;
  readonly rows: readonly P['rows'][number][];
  readonly cursor: string | null;
};

const withCursor = (path: string, cursor: string): string => {
  const [base = '', query = ''] = path.split('?');
  const params = new URLSearchParams(query);
  params.set('cursor', cursor);
  return `${base}?${params}`;
};

/** `cursor`: null where there is no more. Pages that come after the list was loaded anew are dropped. */
export const usePages = <P extends Page>(path: string) => {
  const first = useQuery<P>(path);
  const current = useRef(first.value);
  current.current = first.value;
  const [kept, setKept] = useState<Older<P>>();
  const older = kept !== undefined && kept.of === first.value ? kept : undefined;
  const cursor = older ? older.cursor : (first.value?.next_cursor ?? null);
  const more = async (): Promise<void> => {
    const of = first.value;
    if (!of || cursor === null) return;
    const answer = await get<P>(withCursor(path, cursor));
    if (!answer.ok || current.current !== of) return;
    const { rows, next_cursor } = answer.value;
    setKept({ of, rows: [...(older?.rows ?? []), ...rows], cursor: next_cursor });
  };
  const rows: readonly P['rows'][number][] = [...(first.value?.rows ?? []), ...(older?.rows ?? [])];
  return { rows, first, cursor, more };
};
