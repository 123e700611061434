import type { Receipt } from '../../../../shared/portal-api.ts';
import { Card } from '../../components/card.tsx';
import { Empty } from '../../components/empty.tsx';
import { Problem } from '../../components/problem.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import type { Query } from '../../use-query.ts';
import { ReceiptTable } from './receipt-table.tsx';

export type Receipts = { readonly receipts: readonly Receipt[] };

export const ReceiptsCard = ({ query: { value, problem } }: { query: Query<Receipts> }) => (
  <Card title="Receipts" flush>
    <Problem problem={problem} />
    {!value && !problem && (
      <div class="card-body">
        <Skeleton height={5} />
      </div>
    )}
    {value?.receipts.length === 0 && (
      <Empty icon="billing" title="No receipts yet">
        Each payment gets a receipt here that you can print.
      </Empty>
    )}
    {value && value.receipts.length > 0 && <ReceiptTable receipts={value.receipts} />}
  </Card>
);
