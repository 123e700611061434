import type { AutomaticTopUp } from '../../../../shared/portal-api.ts';
import { Badge } from '../../components/badge.tsx';
import type { Tone } from '../../components/notice.tsx';
import { Table } from '../../components/table.tsx';
import { PaidCells, paidColumns } from './paid-cells.tsx';
import { stateText } from './top-up-texts.ts';

type Row = AutomaticTopUp['top_ups'][number];
const toneOf = (state: Row['state']): Tone | undefined => {
  if (state === 'succeeded') return 'good';
  return state === 'declined' || state === 'failed' ? 'warn' : undefined;
};

/** The last ones. */
export const TopUpTable = ({ rows }: { rows: readonly Row[] }) => (
  <div class="scroll-x">
    <Table class="cards-on-phone topup-last" caption="Last top-ups" columns={['Top-up', ...paidColumns]}>
      {rows.map((row) => (
        <tr key={row.number}>
          <td class="lead">
            <div class="row tight">
              <Badge tone={toneOf(row.state)}>{stateText(row)}</Badge>
              {row.payment_id && (
                <a class="small" href={`/billing/receipts/${row.payment_id}`}>
                  Receipt
                </a>
              )}
            </div>
          </td>
          <PaidCells at={row.at} credits={row.credits} amount={row.amount_usd} />
        </tr>
      ))}
    </Table>
  </div>
);
