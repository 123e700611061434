/** Lists come newest first, a page at a time. Pure. */
import { edgeLimits } from '../limits.ts';

/** `next` is the cursor of the page after this one, null at the end. */
export type Page<Row> = { readonly rows: readonly Row[]; readonly next: string | null };
/** At most `edgeLimits.requestLog.pageRowsMax` rows. */
export type PageRequest = { readonly cursor?: string | null; readonly max?: number };

/** Rows with a number below `before`, at most `max` of them. Read one row more, so that `pageOf` sees whether more follow. */
export const pageBounds = ({ cursor, max }: PageRequest): { readonly before: number; readonly max: number } => ({
  before: cursor ? Number(cursor) : Number.MAX_SAFE_INTEGER,
  max: Math.min(max ?? edgeLimits.requestLog.pageRowsMax, edgeLimits.requestLog.pageRowsMax),
});

/** `rows` holds up to `max` + 1 rows; `numberOf` gives the number the cursor is made of. */
export const pageOf = <Row>(rows: readonly Row[], max: number, numberOf: (row: Row) => number): Page<Row> => {
  const shown = rows.slice(0, max);
  const last = shown.at(-1);
  return { rows: shown, next: rows.length > max && last ? String(numberOf(last)) : null };
};
