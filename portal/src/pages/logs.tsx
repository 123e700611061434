/** The request log: searched, paged, followed live, exported. */

import { useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso/router';
import type { KeyRow } from '../../../shared/portal-api.ts';
import { fileOfAccount } from '../api.ts';
import { Button } from '../components/button.tsx';
import { Card } from '../components/card.tsx';
import { Empty } from '../components/empty.tsx';
import { Icon } from '../components/icon.tsx';
import { PageHead } from '../components/page-head.tsx';
import { Problem } from '../components/problem.tsx';
import { ShowOlder } from '../components/show-older.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { useQuery } from '../use-query.ts';
import { Filters } from './logs/filters.tsx';
import { LogTable } from './logs/log-table.tsx';
import { type Filter, filterOf, noFilter, queryOf, useLog } from './logs/use-log.ts';

/** `isMore`: the search has not come to the oldest request yet. */
const NoRequests = ({ filtered, isMore, onClear }: { filtered: boolean; isMore: boolean; onClear: () => void }) => (
  <Empty
    icon="logs"
    title={isMore ? 'Nothing found so far' : filtered ? 'Nothing matches' : 'No requests yet'}
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
    {isMore
      ? 'Nothing that was looked through so far matches. Go on to older requests.'
      : filtered
        ? 'No request in the last 30 days matches these filters.'
        : 'Requests appear here as soon as one of your keys is used.'}
  </Empty>
);

const Logs = () => {
  const { query } = useRoute();
  const { route: navigate } = useLocation();
  const filter = filterOf(query);
  const filtered = Object.values(filter).some((value) => value !== '');
  const [live, setLive] = useState(false);
  const { rows, first, cursor, more } = useLog(filter, live);
  const keys = useQuery<{ keys: readonly KeyRow[] }>('/keys').value?.keys ?? [];
  const choose = (change: Partial<Filter>): void => navigate(`/logs?${queryOf({ ...filter, ...change })}`, true);
  return (
    <>
      <PageHead
        title="Logs"
        lead="Every request made with your keys, kept for 30 days. A CSV has what is searched for, 20,000 requests at most."
      >
        <a class="button" href={fileOfAccount('/logs.csv', queryOf(filter))} download>
          <Icon name="download" size={14} />
          Export CSV
        </a>
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
              <NoRequests filtered={filtered} isMore={cursor !== null} onClear={() => choose(noFilter)} />
            )}
            {cursor && <ShowOlder more={more} />}
          </Card>
        )}
      </div>
    </>
  );
};
export default Logs;
