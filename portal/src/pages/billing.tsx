/** Buying packs, receipts, the whole ledger. */

import { useState } from 'preact/hooks';
import { useRoute } from 'preact-iso/router';
import { Notice } from '../components/notice.tsx';
import { PageHead } from '../components/page-head.tsx';
import { dollars, plural } from '../format.ts';
import { useMe } from '../session.tsx';
import { useQuery } from '../use-query.ts';
import { AlertCard } from './billing/alert-card.tsx';
import { BuyCard } from './billing/buy-card.tsx';
import { LedgerCard } from './billing/ledger-card.tsx';
import { type Receipts, ReceiptsCard } from './billing/receipts-card.tsx';
import { SpendingCard } from './billing/spending-card.tsx';
import { TopUpCard } from './billing/top-up-card.tsx';
import { rememberReceipt, useSettled } from './billing/use-settled.ts';

const Settling = ({ arrived, late }: ReturnType<typeof useSettled>) =>
  arrived ? (
    <Notice tone="good">
      Paid. {plural(arrived.credits, 'credit')} were added. <a href="/keys">Generate a key</a>
    </Notice>
  ) : (
    <Notice tone={late ? 'warn' : 'info'}>
      {late
        ? 'The payment is not confirmed yet. This can take a few minutes; reload this page to check again.'
        : 'Waiting for the payment to be confirmed…'}
    </Notice>
  );

const Billing = () => {
  const { query } = useRoute();
  const { account } = useMe();
  const receipts = useQuery<Receipts>('/payments');
  const [bought, setBought] = useState(0);
  const noteBought = (): void => {
    receipts.reload();
    setBought(bought + 1);
  };
  const checkout = query['checkout'];
  const { arrived, late } = useSettled(checkout === 'done', receipts);
  return (
    <>
      <PageHead title="Billing" lead="Prepaid credits: no subscription, no invoice at the end of the month." />
      <div class="stack">
        {checkout === 'done' && <Settling arrived={arrived} late={late} />}
        {query['card'] === 'cancelled' && <Notice tone="info">No card was saved.</Notice>}
        {checkout === 'cancelled' && <Notice tone="info">The checkout was cancelled. Nothing was charged.</Notice>}
        {account.available < 0 && (
          <Notice tone="bad">
            The balance is {dollars(account.available)}: a refund or dispute took back credits that were already used.
            Buying a pack settles it.
          </Notice>
        )}
        <BuyCard onLeave={() => rememberReceipt(receipts)} />
        <TopUpCard onBought={noteBought} />
        <AlertCard />
        <ReceiptsCard query={receipts} />
        <SpendingCard />
        <LedgerCard key={bought} />
      </div>
    </>
  );
};
export default Billing;
