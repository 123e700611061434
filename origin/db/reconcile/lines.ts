/** What must hold of one account's lines in their order. Pure. */
import { isId } from '../../../shared/ids.ts';
import type { Disagreement } from './kinds.ts';
import type { Line } from './rows.ts';

type Balance = Pick<Line, 'available' | 'held' | 'spent'>;

/** What the lines before left. `isComplete`: none of them is missing, so that their sum is known. */
export type LinesBefore = Balance & {
  readonly accountId: string;
  readonly seq: number;
  readonly granted: number;
  readonly isComplete: boolean;
};

export const noLines = (accountId: string): LinesBefore => ({
  accountId,
  seq: 0,
  available: 0,
  held: 0,
  spent: 0,
  granted: 0,
  isComplete: true,
});

export const afterLine = (before: LinesBefore, line: Line): LinesBefore => ({
  accountId: line.accountId,
  seq: line.seq,
  available: line.available,
  held: line.held,
  spent: line.spent,
  granted: before.granted + grantedBy(line),
  isComplete: before.isComplete && line.seq === before.seq + 1,
});

const grantedBy = ({ kind, credits }: Line): number => ({ grant: credits, refund: -credits })[kind as 'grant'] ?? 0;

/** Each kind moves credits in one way only. */
const moved = ({ available, held, spent }: Balance, { kind, credits }: Line): Balance => {
  switch (kind) {
    case 'grant':
      return { available: available + credits, held, spent };
    case 'refund':
      return { available: available - credits, held, spent };
    case 'hold':
      return { available: available - credits, held: held + credits, spent };
    case 'void':
      return { available: available + credits, held: held - credits, spent };
    case 'post':
      return { available, held: held - credits, spent: spent + credits };
  }
};

const text = ({ available, held, spent }: Balance): string => `${available}/${held}/${spent}`;

/** Lines received after `comparedUntilMs` may have neighbours that are still on their way. */
export const lineDisagreements = (before: LinesBefore, line: Line, comparedUntilMs: number): Disagreement[] => {
  const found: Disagreement[] = [];
  const { id, seq, kind, credits } = line;
  // Lines are numbered 1, 2, 3 … per account; a missing number is a line that never arrived.
  if (seq !== before.seq + 1 && line.receivedAtMs < comparedUntilMs)
    found.push({ kind: 'ledger_gap', subject: line.accountId, detail: `seq ${seq} follows ${before.seq}` });
  // granted − refunded = available + held + spent, after every line.
  const { granted, isComplete } = afterLine(before, line);
  const { available, held, spent } = line;
  if (isComplete && granted !== available + held + spent) {
    const detail = `granted ${granted}, but available ${available} + held ${held} + spent ${spent}`;
    found.push({ kind: 'ledger_balance', subject: id, detail });
  }
  if (seq === before.seq + 1 && text(moved(before, line)) !== text(line)) {
    const detail = `${kind} of ${credits} turned ${text(before)} into ${text(line)}`;
    found.push({ kind: 'ledger_arithmetic', subject: id, detail });
  }
  const { accountId, batchId } = line;
  if (!isId('account', accountId) || (batchId !== null && !isId('batch', batchId)))
    found.push({ kind: 'malformed_id', subject: id, detail: `of ${accountId} and ${batchId}: it cannot be compared` });
  return found;
};
