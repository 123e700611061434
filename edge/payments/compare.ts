/**
 * Compares what the facts of a payment ask for with the ledger's own entries, once after each change of the payment.
 * Read only. It finds a movement that was marked as applied and is not in the ledger, one that is there twice, and a
 * purchase that no payment stands behind.
 */
import type { LedgerPort } from '../account/ledger/port.ts';
import type { Entry } from '../account/ledger/types.ts';
import type { LogEvent } from '../log.ts';
import { paymentLimits } from './limits.ts';
import type { RedriveStore, Uncompared } from './redrive-store.ts';
import type { PaymentStore } from './store.ts';
import { targetCredits } from './target.ts';

export type CompareDeps = {
  readonly store: Pick<PaymentStore, 'snapshot'>;
  readonly redrive: RedriveStore;
  readonly ledgerOf: (accountId: string) => Pick<LedgerPort, 'entries'>;
  readonly log: LogEvent;
  readonly nowMs: number;
};

/** Logs `payment_ledger_mismatch` and `grant_without_payment`. At most `comparesPerSweepMax` payments. */
export const comparePayments = async (deps: CompareDeps): Promise<void> => {
  const byAccount = Map.groupBy(await deps.redrive.uncompared(), ({ accountId }) => accountId);
  for (const [accountId, payments] of byAccount) await compareAccount(accountId, payments, deps);
};

const compareAccount = async (
  accountId: string,
  payments: readonly Uncompared[],
  { store, redrive, ledgerOf, log, nowMs }: CompareDeps,
): Promise<void> => {
  const ledger = ledgerOf(accountId);
  const entries = [...(await entriesOf(ledger, 'grant')), ...(await entriesOf(ledger, 'adjust'))];
  for (const payment of payments) {
    const found = entries.reduce((sum, entry) => sum + (entry.reference === payment.id ? entry.credits : 0), 0);
    const facts = await store.snapshot(payment.paymentIntent);
    const credits = facts ? targetCredits(facts) : 0;
    if ((await redrive.markCompared(payment, nowMs)) && found !== credits)
      log('error', 'payment_ledger_mismatch', {
        payment_id: payment.id,
        account_id: accountId,
        credits_paid: credits,
        credits_in_ledger: found,
      });
  }
  const bought = entries.flatMap(({ reason, reference }) => (isPurchase(reason) && reference ? [reference] : []));
  const known = await redrive.knownPayments(accountId, bought);
  for (const reference of new Set(bought))
    if (!known.has(reference)) log('error', 'grant_without_payment', { account_id: accountId, reference });
};

const isPurchase = (reason: Entry['reason']): boolean => reason === 'purchase' || reason === 'test_purchase';

const entriesOf = async (ledger: Pick<LedgerPort, 'entries'>, kind: 'grant' | 'adjust'): Promise<Entry[]> => {
  const found: Entry[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < paymentLimits.comparePagesMax; page++) {
    const { rows, next } = await ledger.entries({ kind, cursor });
    found.push(...rows);
    cursor = next;
    if (cursor === null) break;
  }
  return found;
};
