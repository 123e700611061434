/** The account's deliveries of the last 30 days, by outcome and endpoint. */
import { useEffect, useState } from 'preact/hooks';
import type { WebhookAttemptPage, WebhookEndpoint } from '../../../shared/portal-api.ts';
import { Button } from '../components/button.tsx';
import { Card } from '../components/card.tsx';
import { Empty } from '../components/empty.tsx';
import { Problem } from '../components/problem.tsx';
import { ShowOlder } from '../components/show-older.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { Select } from '../playground/select.tsx';
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

type EndpointChoiceProps = {
  endpoints: readonly WebhookEndpoint[];
  endpointId: string;
  onChoose: (endpointId: string) => void;
};

const EndpointChoice = ({ endpoints, endpointId, onChoose }: EndpointChoiceProps) => (
  <div class="endpoint-choice">
    <Select label="Endpoint" name="endpoint" value={endpointId} onValue={onChoose}>
      <option value="">All, and webhook_url of batches</option>
      {endpoints.map(({ endpoint_id, url, mode }) => (
        <option key={endpoint_id} value={endpoint_id}>
          {url}
          {mode === 'test' ? ' (test)' : ''}
        </option>
      ))}
    </Select>
  </div>
);

/** `sent`: how many tests the page has sent; each shows itself. */
export const DeliveriesCard = ({ sent, endpoints }: { sent: number; endpoints: readonly WebhookEndpoint[] }) => {
  const [outcome, setOutcome] = useState('');
  const [chosen, setChosen] = useState('');
  const endpointId = endpoints.some(({ endpoint_id }) => endpoint_id === chosen) ? chosen : '';
  const { rows, first, cursor, more } = usePages<WebhookAttemptPage>(
    `/webhook-attempts?outcome=${outcome}&endpoint_id=${endpointId}`,
  );
  const isFiltered = outcome !== '' || endpointId !== '';
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
        {endpoints.length > 0 && <EndpointChoice endpoints={endpoints} endpointId={endpointId} onChoose={setChosen} />}
        <OutcomeTabs outcome={outcome} onChoose={setOutcome} />
        <Problem problem={first.problem} retry={first.reload} />
      </div>
      {!first.value && !first.problem && <Skeleton height={10} />}
      {first.value && rows.length > 0 && <AttemptTable rows={rows} onSent={first.reload} />}
      {first.value && rows.length === 0 && (
        <Empty icon="webhooks" title={isFiltered ? 'Nothing matches' : 'No deliveries yet'}>
          {isFiltered
            ? 'No delivery of the last 30 days is like that.'
            : 'Add an endpoint, send a batch with a webhook_url, or a test event.'}
        </Empty>
      )}
      {cursor && <ShowOlder more={more} />}
    </Card>
  );
};
