/** Batches that were started from the portal, newest first. */
import { useLocation } from 'preact-iso/router';
import type { FolderPage } from '../../../shared/portal-api.ts';
import { Card } from '../components/card.tsx';
import { Empty } from '../components/empty.tsx';
import { Problem } from '../components/problem.tsx';
import { ShowOlder } from '../components/show-older.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { ago, count, dollars, timeText } from '../format.ts';
import { usePages } from '../use-pages.ts';
import { StandingBar } from './standing-bar.tsx';

type Row = FolderPage['rows'][number];

const said = ({ counts, photos }: Row): string => {
  const parts = [
    counts.running > 0 && `${counts.running} in work`,
    `${counts.ready} of ${photos} ready`,
    counts.needs_a_look > 0 && `${counts.needs_a_look} to look at`,
    counts.retake > 0 && `${counts.retake} to retake`,
    counts.failed > 0 && `${counts.failed} failed`,
  ];
  return parts.filter(Boolean).join(', ');
};

const BatchRow = ({ row }: { row: Row }) => {
  const { route: navigate } = useLocation();
  const path = `/batches/${row.folder_id}`;
  return (
    <tr class="link" onClick={() => navigate(path)}>
      <td class="lead">
        <a href={path} class="batch-link">
          {row.name}
        </a>
      </td>
      <td data-label="Started">
        <span title={row.created_at}>{ago(row.created_at)}</span>
        <span class="visually-hidden">, {timeText(row.created_at)}</span>
      </td>
      <td class="right" data-label="Photos">
        {count(row.photos)}
      </td>
      <td class="batch-standing bare">
        <StandingBar counts={row.counts} total={row.photos} />
        <span class="small muted">{said(row)}</span>
      </td>
      <td class="right" data-label="Cost">
        {row.mode === 'test' ? 'test' : dollars(row.counts.credits)}
      </td>
    </tr>
  );
};

export const PastBatches = () => {
  const { rows, first, cursor, more } = usePages<FolderPage>('/folders');
  if (first.problem) return <Problem problem={first.problem} retry={first.reload} />;
  if (!first.value) return <Skeleton height={18} />;
  return (
    <Card title="Past batches" lead="Kept for 30 days; their files for as long as your settings say." flush>
      {rows.length === 0 ? (
        <Empty icon="batches" title="No batches yet">
          What you start here goes on when you close this page, and is found here again.
        </Empty>
      ) : (
        <table class="cards-on-phone">
          <thead>
            <tr>
              <th>Name</th>
              <th>Started</th>
              <th class="right">Photos</th>
              <th>Result</th>
              <th class="right">Cost</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <BatchRow key={row.folder_id} row={row} />
            ))}
          </tbody>
        </table>
      )}
      {cursor && <ShowOlder more={more} />}
    </Card>
  );
};
