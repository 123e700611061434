/** A ledger entry as people read it: what it was, and what available, held and spent gained or lost by it. Pure. */

import type { LedgerRow } from '../../shared/portal-api.ts';
import type { LedgerLines } from '../account/ledger/archive.ts';
import type { Entry } from '../account/ledger/types.ts';
import { csvOf } from '../results/csv.ts';
import { timeOf } from './time.ts';

type Line = LedgerLines['lines'][number];
type Change = Pick<LedgerRow, 'available_change' | 'held_change' | 'spent_change'>;

const changeOf = ({ kind, credits }: Line): Change => {
  switch (kind) {
    case 'grant':
    case 'adjust':
      return { available_change: credits, held_change: 0, spent_change: 0 };
    case 'hold':
      return { available_change: credits, held_change: -credits, spent_change: 0 };
    case 'post':
      return { available_change: 0, held_change: -credits, spent_change: credits };
    case 'void':
    case 'release':
      return { available_change: credits, held_change: -credits, spent_change: 0 };
  }
};

const reasons: Record<NonNullable<Entry['reason']>, string> = {
  purchase: 'API pack bought',
  test_purchase: 'API pack (test checkout)',
  local: 'Local credits',
  promotion: 'Promotion',
  refund: 'Refund',
  refund_failed: 'Refund failed, credits back',
  dispute: 'Payment disputed',
  dispute_returned: 'Dispute won',
  correction: 'Correction',
  batch_unknown: 'Credits returned: batch never started',
  hold_unwanted: 'Credits returned: batch not wanted',
};
const kinds: Record<Entry['kind'], string> = {
  grant: 'Credits added',
  adjust: 'Credits adjusted',
  hold: 'Credits held for images',
  post: 'Image delivered',
  void: 'Image failed, credit returned',
  release: 'Credits returned',
};

const descriptionOf = ({ kind, credits }: Line): string => {
  if (credits === 1 || (kind !== 'post' && kind !== 'void')) return kinds[kind];
  return kind === 'post' ? `${credits} images delivered` : `${credits} images failed, credits returned`;
};

export const ledgerRow = (entry: Line): LedgerRow => ({
  sequence: entry.sequence,
  at: timeOf(entry.createdAtMs),
  kind: entry.kind,
  description: entry.reason === null ? descriptionOf(entry) : reasons[entry.reason],
  ...changeOf(entry),
  available_after: entry.available,
  reference: entry.batchId ?? entry.reference,
});

const COLUMNS = [
  'sequence',
  'at',
  'kind',
  'description',
  'available_change',
  'held_change',
  'spent_change',
  'available_after',
  'reference',
] as const satisfies readonly (keyof LedgerRow)[];

export const csvHeader = csvOf([COLUMNS]);
/** A line that says what the file does not have, in the column of descriptions. */
export const csvNote = (text: string): string => csvOf([COLUMNS.map((name) => (name === 'description' ? text : ''))]);
export const csvLine = (row: LedgerRow): string => csvOf([COLUMNS.map((name) => row[name])]);
