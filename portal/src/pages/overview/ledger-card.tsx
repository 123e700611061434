/** The newest rows of the ledger. */
import type { LedgerPage } from '../../../../shared/portal-api.ts';
import { Card } from '../../components/card.tsx';
import { Empty } from '../../components/empty.tsx';
import { ExportLedger } from '../../components/export-ledger.tsx';
import { LedgerTable } from '../../components/ledger-table.tsx';
import { Problem } from '../../components/problem.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { useQuery } from '../../use-query.ts';

export const LedgerCard = () => {
  const { value, problem, reload } = useQuery<LedgerPage>('/ledger?max=8');
  return (
    <Card
      title="Ledger"
      lead="Every credit movement, newest first. The export adds up to the balance."
      flush
      action={<ExportLedger />}
    >
      <Problem problem={problem} retry={reload} />
      {!value && !problem && (
        <div class="card-body">
          <Skeleton height={12} />
        </div>
      )}
      {value && value.rows.length === 0 && (
        <Empty icon="billing" title="No movements yet">
          Purchases and processed images appear here, each with the balance after it.
        </Empty>
      )}
      {value && value.rows.length > 0 && <LedgerTable rows={value.rows} />}
      {value?.next_cursor && (
        <div class="card-foot">
          <a href="/billing#ledger">All movements</a>
        </div>
      )}
    </Card>
  );
};
