/**
 * The whole ledger, newest first: the lines that the account still has, then those that only origin's export has. Grants
 * and adjustments stay in the account for ever, and are taken from there: only it knows what they were for.
 */
import type { LedgerEntry } from '../../../shared/ledger-export.ts';
import type { LedgerPort } from './port.ts';
import type { Entry } from './types.ts';

/** Exported lines of one account below `before`, newest first; undefined while origin cannot be asked. */
export type LedgerArchive = (request: {
  readonly accountId: string;
  readonly before: number;
  readonly max: number;
}) => Promise<readonly LedgerEntry[] | undefined>;

type ArchivedLine = Pick<
  Entry,
  'sequence' | 'kind' | 'credits' | 'available' | 'batchId' | 'reason' | 'reference' | 'createdAtMs'
>;
export type LedgerLines = {
  readonly lines: readonly ArchivedLine[];
  /** The cursor of the page after this one, null at the end. */
  readonly next: string | null;
  /** Up to this line the page has only grants and adjustments, because origin could not be asked; otherwise null. */
  readonly unreadThrough: number | null;
  /** Lines of this page that are nowhere, from the first to the last of each gap. */
  readonly missing: readonly { readonly from: number; readonly to: number }[];
};
export type LedgerSource = {
  readonly accountId: string;
  readonly ledger: Pick<LedgerPort, 'entries' | 'checkpoint'>;
  readonly archive: LedgerArchive;
};
type PageOf = { readonly cursor: string | null; readonly max: number; readonly archivedMax: number };

/** At most `max` lines, or `archivedMax` where all of them are only at origin. */
export const ledgerLines = async (
  { accountId, ledger, archive }: LedgerSource,
  { cursor, max, archivedMax }: PageOf,
): Promise<LedgerLines> => {
  // The lines are read before the checkpoint: what is folded in between is in both, not in neither.
  const own = await ledger.entries({ cursor, max });
  if (isWhole(own.rows, cursor, max)) return { lines: own.rows, next: own.next, unreadThrough: null, missing: [] };
  const through = (await ledger.checkpoint())?.throughSequence ?? 0;
  const above = own.rows.filter(({ sequence }) => sequence > through);
  const top = Math.min(cursor === null ? Number.MAX_SAFE_INTEGER : Number(cursor), through + 1);
  if (top <= 1 || above.length === max) return { lines: own.rows, next: own.next, unreadThrough: null, missing: [] };
  const wanted = above.length > 0 ? max - above.length : archivedMax;
  const archived = await archive({ accountId, before: top, max: wanted });
  if (!archived) return { lines: own.rows, next: own.next, unreadThrough: top - 1, missing: [] };
  // Further down the account may have grants that this page of it does not show.
  const shown = own.next === null ? 1 : Number(own.next);
  const kept = archived.filter(({ seq }) => seq >= shown);
  const isEnd = archived.length < wanted && kept.length === archived.length;
  const bottom = isEnd ? 1 : (kept.at(-1)?.seq ?? shown);
  const bySequence = new Map<number, ArchivedLine>(kept.map((line) => [line.seq, lineOf(line)]));
  for (const entry of own.rows) if (entry.sequence >= bottom) bySequence.set(entry.sequence, entry);
  const lines = [...bySequence.values()].sort((a, b) => b.sequence - a.sequence);
  const folded = lines.filter(({ sequence }) => sequence < top).map(({ sequence }) => sequence);
  return {
    lines,
    next: bottom > 1 ? String(bottom) : null,
    unreadThrough: null,
    missing: gaps(folded, top, bottom),
  };
};

/** One line after the other from the cursor on, down to the first or to a full page. Where it begins, nobody knows yet. */
const isWhole = (rows: readonly Entry[], cursor: string | null, max: number): boolean => {
  const [first] = rows;
  const last = rows.at(-1);
  if (!first || !last || cursor === null || first.sequence !== Number(cursor) - 1) return false;
  return first.sequence - last.sequence === rows.length - 1 && (rows.length === max || last.sequence === 1);
};

/** What is not in `sequences`, newest first, of the numbers below `top` down to `bottom`. */
const gaps = (sequences: readonly number[], top: number, bottom: number): LedgerLines['missing'] => {
  const found: { from: number; to: number }[] = [];
  let above = top;
  for (const sequence of [...sequences, bottom - 1]) {
    if (sequence < above - 1) found.push({ from: sequence + 1, to: above - 1 });
    above = sequence;
  }
  return found;
};

/** An archived line in the account's own form. Why a release or a grant was made is not exported. */
const lineOf = ({ seq, kind, credits, batch_id, image_id, images, at_ms, balance }: LedgerEntry): ArchivedLine => ({
  sequence: seq,
  kind: kind === 'refund' ? 'adjust' : kind === 'void' && (image_id ?? images) === undefined ? 'release' : kind,
  credits: kind === 'hold' || kind === 'refund' ? -credits : credits,
  available: balance.available,
  batchId: batch_id ?? null,
  reason: null,
  reference: null,
  createdAtMs: at_ms,
});
