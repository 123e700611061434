/** The audit log of the account: filtered, paged, exported. */
import { useLocation, useRoute } from 'preact-iso/router';
import type { AuditPage } from '../../../shared/portal-api.ts';
import { fileOfAccount } from '../api.ts';
import { Card } from '../components/card.tsx';
import { Empty } from '../components/empty.tsx';
import { Icon } from '../components/icon.tsx';
import { PageHead } from '../components/page-head.tsx';
import { Problem } from '../components/problem.tsx';
import { ShowOlder } from '../components/show-older.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { usePages } from '../use-pages.ts';
import { EventTable } from './activity/event-table.tsx';

const groups = [
  ['', 'Everything'],
  ['access', 'Access'],
  ['members', 'Members'],
  ['keys', 'Keys and secrets'],
  ['money', 'Money'],
  ['data', 'Data'],
  ['operator', 'Operator'],
] as const;

const Activity = () => {
  const asked = useRoute().query['group'] ?? '';
  const group = groups.some(([name]) => name === asked) ? asked : '';
  const { route: navigate } = useLocation();
  const { rows, first, cursor, more } = usePages<AuditPage>(`/audit?group=${group}`);
  return (
    <>
      <PageHead
        title="Activity"
        lead="What was done to this account, kept for 400 days; network addresses for 90. Nothing can be changed or taken out."
      >
        <a class="button compact" href={fileOfAccount('/audit.csv')} download>
          <Icon name="download" size={14} />
          Export CSV
        </a>
      </PageHead>
      <div class="stack tight">
        <div class="filters">
          <label>
            <span class="visually-hidden">Kind</span>
            <select
              class="input"
              value={group}
              onChange={(e) => navigate(`/activity?group=${e.currentTarget.value}`, true)}
            >
              {groups.map(([value, name]) => (
                <option key={value} value={value}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        </div>
        <Problem problem={first.problem} retry={first.reload} />
        {!first.value && !first.problem && <Skeleton height={22} />}
        {first.value && (
          <Card flush>
            {rows.length > 0 ? (
              <EventTable rows={rows} />
            ) : (
              <Empty icon="security" title="Nothing yet">
                Nothing of this kind was done to the account.
              </Empty>
            )}
            {cursor && <ShowOlder more={more} />}
          </Card>
        )}
      </div>
    </>
  );
};
export default Activity;
