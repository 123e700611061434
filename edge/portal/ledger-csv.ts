/** The ledger as a CSV file: every line, or a row that says which ones the file does not have. */
import { limits } from '../../shared/limits.ts';
import { type LedgerLines, type LedgerSource, ledgerLines } from '../account/ledger/archive.ts';
import { edgeLimits } from '../limits.ts';
import { csvStream } from '../results/csv.ts';
import { csvHeader, csvLine, csvNote, ledgerRow } from './ledger-rows.ts';

const { csvRowsMax, ledgerPageRowsMax } = edgeLimits.portal;

/**
 * Newest first, from the line below `before` on. Streams a page at a time: memory stays the same for an account of any
 * age.
 */
export const ledgerCsv = (
  source: LedgerSource,
  before: string | null,
  rowsMax: number = csvRowsMax,
): ReadableStream<Uint8Array> => {
  let cursor = before;
  let rows = 0;
  return csvStream(csvHeader, async () => {
    const page = await ledgerLines(source, {
      cursor,
      max: ledgerPageRowsMax,
      archivedMax: limits.ledger.archivePageMax,
    });
    rows += page.lines.length;
    cursor = page.next;
    const isCut = cursor !== null && rows >= rowsMax;
    return { text: textOf(page) + (isCut ? cutNote(cursor) : ''), isLast: cursor === null || isCut };
  });
};

const cutNote = (cursor: string | null): string =>
  csvNote(`INCOMPLETE: lines 1 to ${Number(cursor) - 1} are in the next file: add ?before=${cursor} to its address`);

/** Of lines that origin could not be asked for, each page says so: the next one may have found it again. */
const textOf = ({ lines, missing, unreadThrough, next }: LedgerLines): string => {
  const parts = lines.map((line) => ({ at: line.sequence, text: csvLine(ledgerRow(line)) }));
  for (const { from, to } of missing)
    parts.push({ at: to, text: csvNote(`MISSING: lines ${from} to ${to}. Please tell us about it.`) });
  if (unreadThrough !== null) {
    const from = next === null ? 1 : Number(next);
    const text = `INCOMPLETE: of lines ${from} to ${unreadThrough} holds and images could not be read. Download this file again later.`;
    parts.push({ at: unreadThrough, text: csvNote(text) });
  }
  return parts
    .sort((a, b) => b.at - a.at)
    .map(({ text }) => text)
    .join('');
};
