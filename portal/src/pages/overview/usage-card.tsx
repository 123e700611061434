import { useState } from 'preact/hooks';
import type { Usage } from '../../../../shared/portal-api.ts';
import { Card } from '../../components/card.tsx';
import { Problem } from '../../components/problem.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { useQuery } from '../../use-query.ts';
import { UsageChart } from './usage-chart.tsx';

const ranges = [7, 30, 90] as const;

export const UsageCard = () => {
  const [days, setDays] = useState<number>(30);
  const { value, problem, reload } = useQuery<Usage>(`/usage?days=${days}`);
  return (
    <Card
      title="Usage"
      lead={
        <>
          Images per day, UTC. <a href="/usage">By key and marketplace</a>
        </>
      }
      flush
      action={
        <fieldset class="tabs" aria-label="Range">
          {ranges.map((n) => (
            <button key={n} type="button" class="tab" aria-pressed={n === days} onClick={() => setDays(n)}>
              {n} days
            </button>
          ))}
        </fieldset>
      }
    >
      <div class="card-body usage-body">
        <Problem problem={problem} retry={reload} />
        {value ? <UsageChart usage={value} /> : !problem && <Skeleton height={17.5} />}
      </div>
    </Card>
  );
};
