import type { Receipt } from '../../../../shared/portal-api.ts';
import { Badge } from '../../components/badge.tsx';
import { Table } from '../../components/table.tsx';
import { signed } from '../../format.ts';
import { PaidCells, paidColumns } from './paid-cells.tsx';

const kinds: Record<string, string> = {
  refund: 'Refunded',
  refund_failed: 'Refund failed',
  dispute: 'Disputed',
  dispute_returned: 'Dispute won',
};

export const ReceiptTable = ({ receipts }: { receipts: readonly Receipt[] }) => (
  <div class="scroll-x">
    <Table class="cards-on-phone" caption="Receipts" columns={['Receipt', ...paidColumns]}>
      {receipts.map((receipt) => (
        <tr key={receipt.payment_id}>
          <td class="lead">
            <div class="row tight">
              <a class="mono small" href={`/billing/receipts/${receipt.payment_id}`}>
                {receipt.payment_id}
              </a>
              {receipt.mode === 'test' && <Badge tone="warn">Test</Badge>}
              {receipt.adjustments.map((adjustment) => (
                <Badge key={adjustment.at + adjustment.kind} tone={adjustment.credits < 0 ? 'bad' : 'good'}>
                  {kinds[adjustment.kind]} {signed(adjustment.credits)}
                </Badge>
              ))}
            </div>
          </td>
          <PaidCells at={receipt.paid_at} credits={receipt.credits} amount={receipt.amount_usd} />
        </tr>
      ))}
    </Table>
  </div>
);
