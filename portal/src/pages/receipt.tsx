/** One receipt, made to be printed. */
import { useRoute } from 'preact-iso/router';
import type { Receipt } from '../../../shared/portal-api.ts';
import { Button } from '../components/button.tsx';
import { Notice } from '../components/notice.tsx';
import { PageHead } from '../components/page-head.tsx';
import { Problem } from '../components/problem.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { count, dateText, signed } from '../format.ts';
import { useMe } from '../session.tsx';
import { useQuery } from '../use-query.ts';

const kinds: Record<string, string> = {
  refund: 'Refund',
  refund_failed: 'Refund failed, money kept',
  dispute: 'Dispute, money withdrawn',
  dispute_returned: 'Dispute won, money returned',
};

const Items = ({ receipt }: { receipt: Receipt }) => (
  <table>
    <caption class="visually-hidden">Items</caption>
    <thead>
      <tr>
        <th>Item</th>
        <th class="right">Credits</th>
        <th class="right">Amount</th>
      </tr>
    </thead>
    <tbody>
      <tr>
        <td>API pack</td>
        <td class="right">{count(receipt.credits)}</td>
        <td class="right">{receipt.amount_usd}</td>
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
    </tbody>
  </table>
);

const ReceiptPage = () => {
  const paymentId = useRoute().params['paymentId'] ?? '';
  const { value, problem } = useQuery<Receipt>(`/payments/${paymentId}`);
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
            <dt>For</dt>
            <dd>
              {user.name}, {value.email ?? user.email}
            </dd>
            <dt>Account</dt>
            <dd class="mono">{account.account_id}</dd>
          </dl>
          <Items receipt={value} />
        </article>
      )}
    </>
  );
};
export default ReceiptPage;
