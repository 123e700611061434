/** The request log: filtered, paged, followed live. */

import { useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso/router';
import type { KeyRow } from '../../../shared/portal-api.ts';
import { Button } from '../components/button.tsx';
import { Card } from '../components/card.tsx';
import { Empty } from '../components/empty.tsx';
import { PageHead } from '../components/page-head.tsx';
import { Problem } from '../components/problem.tsx';
import { ShowOlder } from '../components/show-older.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { useQuery } from '../use-query.ts';
import { Filters } from './logs/filters.tsx';
import { LogTable } from './logs/log-table.tsx';
import { type Filter, queryOf, useLog } from './logs/use-log.ts';

const NoRequests = ({ filtered, onClear }: { filtered: boolean; onClear: () => void }) => (
  <Empty
    icon="logs"
    title={filtered ? 'Nothing matches' : 'No requests yet'}
    action={
      filtered ? (
        <Button onClick={onClear}>Clear filters</Button>
      ) : (
        <a class="button primary" href="/docs">
          Open quick start
        </a>
      )
    }
  >
    {filtered
      ? 'No request in the last 30 days matches these filters.'
      : 'Requests appear here as soon as one of your keys is used.'}
  </Empty>
);

const Logs = () => {
  const { query } = useRoute();
  const { route: navigate } = useLocation();
  const filter: Filter = { key: query['key'] ?? '', status: query['status'] ?? '' };
  const [live, setLive] = useState(false);
  const { rows, first, cursor, more } = useLog(filter, live);
  const keys = useQuery<{ keys: readonly KeyRow[] }>('/keys').value?.keys ?? [];
  const choose = (change: Partial<Filter>): void => navigate(`/logs?${queryOf({ ...filter, ...change })}`, true);
  return (
    <>
      <PageHead title="Logs" lead="Every request made with your keys, kept for 30 days.">
        <Button aria-pressed={live} onClick={() => setLive(!live)}>
          <span class={`dot ${live ? 'on' : ''}`} aria-hidden="true" />
          {live ? 'Live' : 'Go live'}
        </Button>
      </PageHead>
      <div class="stack tight">
        <Filters filter={filter} keys={keys} onChange={choose} />
        <p class="visually-hidden" role="status">
          {live ? `Following live. ${rows.length} requests shown.` : ''}
        </p>
        <Problem problem={first.problem} retry={first.reload} />
        {!first.value && !first.problem && <Skeleton height={22} />}
        {first.value && (
          <Card flush>
            {rows.length > 0 ? (
              <LogTable rows={rows} keys={keys} />
            ) : (
              <NoRequests
                filtered={filter.key !== '' || filter.status !== ''}
                onClear={() => choose({ key: '', status: '' })}
              />
            )}
            {cursor && <ShowOlder more={more} />}
          </Card>
        )}
      </div>
    </>
  );
};
export default Logs;
