import type { WebhookEndpoint } from '../../../../shared/portal-api.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Table } from '../../components/table.tsx';
import { ago, dateText, plural } from '../../format.ts';

export type EndpointAction = {
  readonly kind: 'test' | 'edit' | 'switch' | 'remove';
  readonly endpoint: WebhookEndpoint;
};
type Act = (action: EndpointAction) => void;

const reasons = { owner: 'By you', gone: 'It answered 410', failing: 'It accepted nothing for days' } as const;

const Standing = ({ endpoint: { disabled, failing_since, pending } }: { endpoint: WebhookEndpoint }) => (
  <div>
    {disabled ? (
      <Badge tone={disabled.why === 'owner' ? undefined : 'bad'}>Disabled</Badge>
    ) : failing_since ? (
      <Badge tone="warn">Failing</Badge>
    ) : (
      <Badge tone="good">Enabled</Badge>
    )}
    {disabled && (
      <span class="small muted block nowrap">
        {reasons[disabled.why]}, {dateText(disabled.at)}
      </span>
    )}
    {failing_since && <span class="small muted block">Since {ago(failing_since)}</span>}
    {pending > 0 && <span class="small muted block">{plural(pending, 'delivery', 'deliveries')} pending</span>}
  </div>
);

const CHARS_SHOWN = 72;
const cut = (url: string): string => (url.length > CHARS_SHOWN ? `${url.slice(0, CHARS_SHOWN)}…` : url);

const Row = ({ endpoint, act }: { endpoint: WebhookEndpoint; act: Act }) => {
  const { url, mode, events, enabled } = endpoint;
  return (
    <tr class={enabled ? '' : 'faded'}>
      <td class="lead">
        <div>
          <span class="mono endpoint-url" title={url}>
            {cut(url)}
          </span>{' '}
          {mode === 'test' && <Badge tone="info">Test</Badge>}
        </div>
      </td>
      <td data-label="Events" class="small">
        <div>
          {events.map((type) => (
            <span key={type} class="mono nowrap block">
              {type}
            </span>
          ))}
        </div>
      </td>
      <td data-label="Status">
        <Standing endpoint={endpoint} />
      </td>
      <td class="right bare">
        <span class="row tight end nowrap endpoint-actions">
          <Button kind="quiet" compact aria-label={`Test ${url}`} onClick={() => act({ kind: 'test', endpoint })}>
            Test
          </Button>
          <Button kind="quiet" compact aria-label={`Edit ${url}`} onClick={() => act({ kind: 'edit', endpoint })}>
            Edit
          </Button>
          <Button
            kind="quiet"
            compact
            aria-label={`${enabled ? 'Disable' : 'Enable'} ${url}`}
            onClick={() => act({ kind: 'switch', endpoint })}
          >
            {enabled ? 'Disable' : 'Enable'}
          </Button>
          <Button
            kind="quiet"
            compact
            class="danger"
            aria-label={`Remove ${url}`}
            onClick={() => act({ kind: 'remove', endpoint })}
          >
            Remove
          </Button>
        </span>
      </td>
    </tr>
  );
};

export const EndpointTable = ({ endpoints, act }: { endpoints: readonly WebhookEndpoint[]; act: Act }) => (
  <div class="scroll-x">
    <Table class="cards-on-phone" caption="Endpoints" columns={['Endpoint', 'Events', 'Status', { hidden: 'Actions' }]}>
      {endpoints.map((endpoint) => (
        <Row key={endpoint.endpoint_id} endpoint={endpoint} act={act} />
      ))}
    </Table>
  </div>
);
