/** The account's endpoints: added, tested, changed, disabled, removed. */
import { useState } from 'preact/hooks';
import { limits } from '../../../../shared/limits.ts';
import type { WebhookEndpointList } from '../../../../shared/portal-api.ts';
import { call } from '../../api.ts';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { Empty } from '../../components/empty.tsx';
import { Problem } from '../../components/problem.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { useCall } from '../../use-call.ts';
import type { Query } from '../../use-query.ts';
import { EndpointDialog } from './endpoint-dialog.tsx';
import { EndpointRemoveDialog } from './endpoint-remove-dialog.tsx';
import { type EndpointAction, EndpointTable } from './endpoint-table.tsx';
import { EndpointTestDialog } from './endpoint-test-dialog.tsx';

const { perAccountMax } = limits.webhookEndpoints;

type Props = { query: Query<WebhookEndpointList>; onSent: () => void };
type Open = EndpointAction | { readonly kind: 'add' };

export const EndpointsCard = ({ query, onSent }: Props) => {
  const [open, setOpen] = useState<Open>();
  const switching = useCall();
  const endpoints = query.value?.endpoints;
  const act = async (action: EndpointAction): Promise<void> => {
    if (action.kind !== 'switch') return setOpen(action);
    const { endpoint_id, enabled } = action.endpoint;
    const answer = await switching.run(call('PATCH', `/webhook-endpoints/${endpoint_id}`, { enabled: !enabled }));
    if (answer.ok) query.reload();
  };
  const close = (): void => setOpen(undefined);
  const done = (): void => {
    close();
    query.reload();
  };
  return (
    <Card
      title="Endpoints"
      lead={`Told of every event you choose, at most ${perAccountMax}. A batch's own webhook_url needs none.`}
      action={
        <Button
          kind="primary"
          compact
          disabled={!endpoints || endpoints.length >= perAccountMax}
          onClick={() => setOpen({ kind: 'add' })}
        >
          Add endpoint
        </Button>
      }
      flush
    >
      {(query.problem || switching.problem) && (
        <div class="card-body">
          <Problem problem={query.problem} retry={query.reload} />
          <Problem problem={switching.problem} />
        </div>
      )}
      {!endpoints && !query.problem && <Skeleton height={8} />}
      {endpoints && endpoints.length > 0 && <EndpointTable endpoints={endpoints} act={(action) => void act(action)} />}
      {endpoints?.length === 0 && (
        <Empty icon="webhooks" title="No endpoints yet">
          Add the address of your server to hear of every batch, or of a low balance.
        </Empty>
      )}
      {open?.kind === 'add' && <EndpointDialog onClose={close} onDone={done} />}
      {open?.kind === 'edit' && <EndpointDialog endpoint={open.endpoint} onClose={close} onDone={done} />}
      {open?.kind === 'remove' && <EndpointRemoveDialog endpoint={open.endpoint} onClose={close} onDone={done} />}
      {open?.kind === 'test' && (
        <EndpointTestDialog
          endpoint={open.endpoint}
          onClose={close}
          onSent={() => {
            query.reload();
            onSent();
          }}
        />
      )}
    </Card>
  );
};
