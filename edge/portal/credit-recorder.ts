/** Writes a movement of money to the account's ledger. */
import { logEvent } from '../log.ts';
import type { RecordCredits } from '../payments/settle.ts';
import type { Services } from '../ports.ts';

/**
 * Idempotent by the movement's id. Flags in the log a purchase for a deleted account, and a balance that falls below zero;
 * of that the portal tells the customer.
 */
export const creditRecorder =
  (services: Pick<Services, 'accountOf'>): RecordCredits =>
  async (accountId, { id, kind, credits, reference }) => {
    const { ledger, topUps } = services.accountOf(accountId);
    // A partial refund may round to no whole credit: the ledger has nothing to note, automatic top-up has.
    if (credits === 0) {
      if (kind === 'refund') await topUps.pauseTopUp('refunded');
      if (kind === 'dispute') await topUps.pauseTopUp('disputed');
      return;
    }
    await ledger.open({ accountId, label: '' });
    const reply =
      kind === 'purchase' || kind === 'test_purchase'
        ? await ledger.grant({ id, credits, reason: kind, reference })
        : await ledger.adjust({ id, credits, reason: kind, reference });
    if (reply.result === 'amount_mismatch') throw new Error(`movement ${id} was recorded before with another amount`);
    // A bank's debit of days ago, or a checkout that was paid while the account was deleted: nobody can spend it.
    if (kind === 'purchase' && (await topUps.topUp()).isClosed)
      logEvent('error', 'deleted_account_paid', { account_id: accountId, payment_id: reference });
    const summary = await ledger.summary();
    if (summary && summary.available < 0)
      logEvent('warn', 'balance_below_zero', { account_id: accountId, available: summary.available, reference });
  };
