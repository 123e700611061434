/** The account's deliveries of the last 30 days, by outcome. */
import { useEffect, useState } from 'preact/hooks';
import type { WebhookAttemptPage } from '../../../shared/portal-api.ts';
import { Button } from '../components/button.tsx';
import { Card } from '../components/card.tsx';
import { Empty } from '../components/empty.tsx';
import { Problem } from '../components/problem.tsx';
import { ShowOlder } from '../components/show-older.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { usePages } from '../use-pages.ts';
import { AttemptTable } from './attempt-table.tsx';

const choices = [
  ['', 'All'],
  ['delivered', 'Delivered'],
  ['failed', 'Failed'],
] as const;

type ChoiceProps = { outcome: string; onChoose: (outcome: string) => void };

const OutcomeTabs = ({ outcome, onChoose }: ChoiceProps) => (
  <fieldset class="filter-tabs">
    <legend class="visually-hidden">Show</legend>
    {choices.map(([value, name]) => (
      <button key={value} type="button" aria-pressed={outcome === value} onClick={() => onChoose(value)}>
        {name}
      </button>
    ))}
  </fieldset>
);

/** `sent`: how many tests the page has sent; each shows itself. */
export const DeliveriesCard = ({ sent }: { sent: number }) => {
  const [outcome, setOutcome] = useState('');
  const { rows, first, cursor, more } = usePages<WebhookAttemptPage>(`/webhook-attempts?outcome=${outcome}`);
  useEffect(() => {
    if (sent > 0) first.reload();
  }, [sent]);
  return (
    <Card
      title="Deliveries"
      lead="Every attempt of the last 30 days, at most the newest 1,000. Query strings and long parts of addresses are hidden."
      action={
        <Button compact onClick={first.reload}>
          Refresh
        </Button>
      }
      flush
    >
      <div class="card-body">
        <OutcomeTabs outcome={outcome} onChoose={setOutcome} />
        <Problem problem={first.problem} retry={first.reload} />
      </div>
      {!first.value && !first.problem && <Skeleton height={10} />}
      {first.value && rows.length > 0 && <AttemptTable rows={rows} onSent={first.reload} />}
      {first.value && rows.length === 0 && (
        <Empty icon="webhooks" title={outcome === '' ? 'No deliveries yet' : 'Nothing matches'}>
          {outcome === ''
            ? 'Send a batch with a webhook_url, or a test event.'
            : 'No delivery of the last 30 days ended so.'}
        </Empty>
      )}
      {cursor && <ShowOlder more={more} />}
    </Card>
  );
};
