/** Usage by key and marketplace over a range of days: chart, tables, file. */
import { useLocation, useRoute } from 'preact-iso/router';
import type { KeyRow, UsageReport } from '../../../shared/portal-api.ts';
import { Card } from '../components/card.tsx';
import { PageHead } from '../components/page-head.tsx';
import { Problem } from '../components/problem.tsx';
import { useMay } from '../session.tsx';
import { useQuery } from '../use-query.ts';
import { type Asked, addressOf, askedOf, queryOf } from './usage/asked.ts';
import { Filters } from './usage/filters.tsx';
import { ReportCard } from './usage/report-card.tsx';
import { MarketplaceCard, PartTable, PeriodCard } from './usage/tables.tsx';

const Tables = ({ report, search }: { report: UsageReport; search: string }) => (
  <>
    {report.by !== 'outcome' && (
      <Card title={`By ${report.by}`} lead="The whole range." flush>
        <PartTable report={report} />
      </Card>
    )}
    {report.by === 'marketplace' && report.marketplaces.some(({ together }) => together > 0) && (
      <MarketplaceCard report={report} />
    )}
    <PeriodCard report={report} search={search} />
  </>
);

const Usage = () => {
  const { query } = useRoute();
  const { route: navigate } = useLocation();
  const asked = askedOf(query, Date.now());
  const search = queryOf(asked);
  const { value: report, problem, reload } = useQuery<UsageReport>(`/usage/report?${search}`);
  const may = useMay();
  // Who may not see keys still sees what each of them used.
  const keys = useQuery<{ keys: readonly KeyRow[] }>(may('keys') ? '/keys' : undefined).value?.keys ?? [];
  const choose = (change: Partial<Asked>): void => navigate(`/usage?${addressOf({ ...asked, ...change })}`, true);
  return (
    <>
      <PageHead
        title="Usage"
        lead="Images, spending and requests by key and marketplace, kept for 400 days. Spending is what the ledger charged."
      />
      <div class="stack">
        <Filters asked={asked} keys={keys} keptFrom={report?.kept_from} onChange={choose} />
        {problem ? (
          <Problem problem={problem} {...(problem.code !== 'invalid_range' && { retry: reload })} />
        ) : (
          <ReportCard report={report} asked={asked} choose={choose} />
        )}
        {report && report.rows.length > 0 && <Tables report={report} search={search} />}
      </div>
    </>
  );
};
export default Usage;
