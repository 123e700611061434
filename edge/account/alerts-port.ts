/** Telling an account's owner that the balance is low. */
import type { Crossing } from './ledger/balance-crossing.ts';

/** `crossing`: 1, 2, 3 … within the account. */
export type BalanceCrossing = Crossing & { readonly crossing: number; readonly atMs: number };

/** `nobody`: the account has no owner any more. Throws while it is not known to be told. May be called again. */
export type TellCrossing = (accountId: string, crossing: BalanceCrossing) => Promise<'told' | 'nobody'>;

export type BalanceAlert = {
  /** Credits; null: off. */
  readonly level: number | null;
  readonly last: BalanceCrossing | null;
};

export type AlertsPort = {
  balanceAlert(): Promise<BalanceAlert>;
  /** 1 to `limits.balanceAlert.levelMax`, null for off. A balance that is there already crosses nothing. */
  setBalanceAlert(level: number | null): Promise<void>;
};
