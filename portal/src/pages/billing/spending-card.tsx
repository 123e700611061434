/** What each key spent in a month. */
import { useState } from 'preact/hooks';
import type { Spending } from '../../../../shared/portal-api.ts';
import { Card } from '../../components/card.tsx';
import { Empty } from '../../components/empty.tsx';
import { Problem } from '../../components/problem.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { Table } from '../../components/table.tsx';
import { count } from '../../format.ts';
import { useMe } from '../../session.tsx';
import { useQuery } from '../../use-query.ts';

const MONTHS_MAX = 36;
const nameOf = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** From this month back to that of the registration, as YYYY-MM, UTC. */
const monthsSince = (createdAt: string, nowMs: number): string[] => {
  const months: string[] = [];
  const now = new Date(nowMs);
  for (let back = 0; back < MONTHS_MAX; back++) {
    const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back)).toISOString().slice(0, 7);
    if (back > 0 && month < createdAt.slice(0, 7)) break;
    months.push(month);
  }
  return months;
};

const Row = ({ name, id, credits, amount }: { name: string; id?: string; credits: number; amount: string }) => (
  <tr>
    <td class="lead">
      <div>
        {name}
        {id && <div class="mono small muted">{id}</div>}
      </div>
    </td>
    <td data-label="Credits" class="right">
      {count(credits)}
    </td>
    <td data-label="Amount" class="right">
      {amount}
    </td>
  </tr>
);

const SpendingTable = ({ spending: { keys, uncounted, credits, amount_usd } }: { spending: Spending }) => (
  <div class="scroll-x">
    <Table
      class="cards-on-phone"
      caption="Spending by key"
      columns={['Key', { right: 'Credits' }, { right: 'Amount' }]}
    >
      {keys.map((key) => (
        <Row
          key={key.key_id}
          name={key.label ?? 'A key that is not known any more'}
          id={key.key_id}
          credits={key.credits}
          amount={key.amount_usd}
        />
      ))}
      {uncounted.credits > 0 && (
        <Row name="Before this was counted by key" credits={uncounted.credits} amount={uncounted.amount_usd} />
      )}
      <Row name="All keys" credits={credits} amount={amount_usd} />
    </Table>
  </div>
);

export const SpendingCard = () => {
  const { user } = useMe();
  const months = monthsSince(user.created_at, Date.now());
  const [month, setMonth] = useState(months[0] ?? '');
  const { value, problem, reload } = useQuery<Spending>(`/spending?month=${month}`);
  return (
    <Card
      title="Spending"
      lead="Delivered images by key and month, UTC."
      flush
      action={
        <select class="input month" aria-label="Month" value={month} onChange={(e) => setMonth(e.currentTarget.value)}>
          {months.map((each) => (
            <option key={each} value={each}>
              {nameOf.format(new Date(`${each}-01T00:00:00Z`))}
            </option>
          ))}
        </select>
      }
    >
      <Problem problem={problem} retry={reload} />
      {!value && !problem && (
        <div class="card-body">
          <Skeleton height={5} />
        </div>
      )}
      {value?.credits === 0 && (
        <Empty icon="billing" title="Nothing spent">
          In this month no image was delivered for a credit.
        </Empty>
      )}
      {value && value.credits > 0 && <SpendingTable spending={value} />}
    </Card>
  );
};
