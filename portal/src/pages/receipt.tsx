/** One receipt, made to be printed. */
import { useRoute } from 'preact-iso/router';
import { usdString } from '../../../shared/credits.ts';
import type { Invoice, Receipt, ReceiptDetail } from '../../../shared/portal-api.ts';
import { get } from '../api.ts';
import { Button } from '../components/button.tsx';
import { Notice } from '../components/notice.tsx';
import { PageHead } from '../components/page-head.tsx';
import { Problem } from '../components/problem.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { Table } from '../components/table.tsx';
import { count, dateText, plural, signed } from '../format.ts';
import { useMe } from '../session.tsx';
import { useCall } from '../use-call.ts';
import { useQuery } from '../use-query.ts';

const kinds: Record<string, string> = {
  refund: 'Refund',
  refund_failed: 'Refund failed, money kept',
  dispute: 'Dispute, money withdrawn',
  dispute_returned: 'Dispute won, money returned',
};

const Items = ({ receipt }: { receipt: Receipt }) => (
  <Table caption="Items" columns={['Item', { right: 'Credits' }, { right: 'Amount' }]}>
    <tr>
      <td>
        API pack, {plural(receipt.credits, 'credit')} at {usdString(1)}
      </td>
      <td class="right">{count(receipt.credits)}</td>
      <td class="right">{receipt.price_usd}</td>
    </tr>
    <tr>
      <td>Tax</td>
      <td />
      <td class="right">{receipt.tax_usd}</td>
    </tr>
    <tr>
      <td>
        <strong>Paid</strong>
      </td>
      <td />
      <td class="right">
        <strong>{receipt.amount_usd}</strong>
      </td>
    </tr>
    {receipt.adjustments.map((adjustment) => (
      <tr key={adjustment.at + adjustment.kind}>
        <td>
          {kinds[adjustment.kind]}, {dateText(adjustment.at)}
        </td>
        <td class="right">{signed(adjustment.credits)}</td>
        <td class="right">{adjustment.amount_usd}</td>
      </tr>
    ))}
  </Table>
);

/** What the operator has not set is named, in print too. */
const Seller = ({ seller }: Pick<ReceiptDetail, 'seller'>) => (
  <>
    <dt>Seller</dt>
    <dd>
      <span class="lines">
        {seller.name ?? '[name of the seller: SELLER_NAME]'}
        {'\n'}
        {seller.address ?? '[address: SELLER_ADDRESS]'}
      </span>
    </dd>
    <dt>Seller’s tax id</dt>
    <dd>{seller.tax_id ?? '[tax id: SELLER_TAX_ID]'}</dd>
  </>
);

const InvoiceButton = ({ paymentId }: { paymentId: string }) => {
  const { busy, problem, run } = useCall();
  const open = async (which: (invoice: Invoice) => string): Promise<void> => {
    const answer = await run(get<Invoice>(`/payments/${paymentId}/invoice`));
    if (answer.ok) location.assign(which(answer.value));
  };
  return (
    <div class="no-print stack">
      <Problem problem={problem} />
      <div class="row">
        <Button busy={busy} onClick={() => void open(({ page }) => page)}>
          Invoice at Stripe
        </Button>
        <Button busy={busy} onClick={() => void open(({ page, pdf }) => pdf ?? page)}>
          Invoice as PDF
        </Button>
      </div>
    </div>
  );
};

const ReceiptPage = () => {
  const paymentId = useRoute().params['paymentId'] ?? '';
  const { value, problem } = useQuery<ReceiptDetail>(`/payments/${paymentId}`);
  const { user, account } = useMe();
  return (
    <>
      <PageHead title="Receipt">
        <a class="button no-print" href="/billing">
          Back
        </a>
        <Button class="no-print" onClick={() => print()}>
          Print
        </Button>
      </PageHead>
      <Problem problem={problem} />
      {!value && !problem && <Skeleton height={18} />}
      {value && (
        <article class="card receipt">
          {value.mode === 'test' && <Notice tone="warn">Test receipt: made in local mode, no money moved.</Notice>}
          <dl class="facts">
            <dt>Receipt</dt>
            <dd class="mono">{value.payment_id}</dd>
            <dt>Date</dt>
            <dd>{dateText(value.paid_at)}</dd>
            <Seller seller={value.seller} />
            <dt>Buyer</dt>
            <dd>
              {user.name}, {value.email ?? user.email}
            </dd>
            <dt>Account</dt>
            <dd class="mono">{account.account_id}</dd>
          </dl>
          <Items receipt={value} />
          {value.has_invoice && <InvoiceButton paymentId={value.payment_id} />}
        </article>
      )}
    </>
  );
};
export default ReceiptPage;
