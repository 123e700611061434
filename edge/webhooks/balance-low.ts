/** The body of `balance.low`. Pure. */
import type { BalanceLow } from '../../shared/api.ts';
import { usdString } from '../../shared/credits.ts';

type LowBalance = {
  readonly eventId: string;
  readonly accountId: string;
  /** Credits, held ones too; may be below 0. */
  readonly balance: number;
  /** Credits at which the owner wants to be told. */
  readonly level: number;
  readonly atMs: number;
};

export const balanceLowBody = ({ eventId, accountId, balance, level, atMs }: LowBalance): BalanceLow => ({
  id: eventId,
  type: 'balance.low',
  created_at: new Date(atMs).toISOString(),
  data: { account_id: accountId, balance, balance_usd: usdString(balance), level },
});
