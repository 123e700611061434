/** The whole ledger, page by page. */
import type { LedgerPage } from '../../../../shared/portal-api.ts';
import { Card } from '../../components/card.tsx';
import { Empty } from '../../components/empty.tsx';
import { ExportLedger } from '../../components/export-ledger.tsx';
import { LedgerTable } from '../../components/ledger-table.tsx';
import { Problem } from '../../components/problem.tsx';
import { ShowOlder } from '../../components/show-older.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { usePages } from '../../use-pages.ts';

export const LedgerCard = () => {
  const { rows, first, cursor, more } = usePages<LedgerPage>('/ledger');
  return (
    <div id="ledger">
      <Card
        title="Ledger"
        lead="Append-only. Available, held and used always add up to what was bought."
        flush
        action={<ExportLedger />}
      >
        <Problem problem={first.problem} />
        {!first.value && !first.problem && (
          <div class="card-body">
            <Skeleton height={12} />
          </div>
        )}
        {first.value && rows.length === 0 && (
          <Empty icon="billing" title="No movements yet">
            Purchases and processed images appear here.
          </Empty>
        )}
        {rows.length > 0 && <LedgerTable rows={rows} />}
        {cursor && <ShowOlder more={more} />}
        {first.value && !cursor && first.value.folded_through !== null && (
          <p class="card-body">
            Older holds and images, up to number {first.value.folded_through}, are archived and could not be read just
            now. The balance includes them.
          </p>
        )}
      </Card>
    </div>
  );
};
