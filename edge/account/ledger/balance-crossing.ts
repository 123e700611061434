/**
 * When the balance falls to the level at which the owner wants to be told. The balance is all that was bought and not
 * used: available and held. It falls when an image is posted or money goes back and rises when credits are bought, so
 * there are no more crossings than purchases, whatever batches hold and return meanwhile. Pure: no I/O, no clock.
 */
import type { Entry, LedgerDecision } from './types.ts';

/** `balance`: credits after the movement that crossed; may be below 0. */
export type Crossing = { readonly level: number; readonly balance: number };

const balanceChange = ({ kind, credits }: Entry): number => {
  if (kind === 'post') return -credits;
  return kind === 'grant' || kind === 'adjust' ? credits : 0;
};

/** From above the level to it or below. `levelOf` is asked only where the balance fell; null: nobody wants to be told. */
export const crossingOf = (
  { totals, entries = [] }: Pick<LedgerDecision, 'totals' | 'entries'>,
  levelOf: () => number | null,
): Crossing | undefined => {
  const change = entries.reduce((sum, entry) => sum + balanceChange(entry), 0);
  if (!totals || change >= 0) return undefined;
  const level = levelOf();
  const balance = totals.available + totals.held;
  return level !== null && balance <= level && balance - change > level ? { level, balance } : undefined;
};
