import type { LogDetail } from '../../../../shared/portal-api.ts';
import { Badge } from '../../components/badge.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { duration, plural, timeText } from '../../format.ts';

export const RequestFacts = ({ detail: { entry, batch_status, key_label, response } }: { detail: LogDetail }) => (
  <dl class="facts">
    <dt>Status</dt>
    <dd>
      <StatusBadge status={entry.status} /> {typeof response?.['title'] === 'string' && `${response['title']}. `}
      {entry.error_code && <code>{entry.error_code}</code>}
    </dd>
    <dt>Request</dt>
    <dd class="mono">
      {entry.method} {entry.path}
    </dd>
    <dt>Time</dt>
    <dd>
      {timeText(entry.at)} <span class="muted">({entry.at})</span>
    </dd>
    <dt>Latency</dt>
    <dd>{duration(entry.duration_ms)}</dd>
    <dt>Images</dt>
    <dd>
      {entry.images}, {plural(entry.credits, 'credit')} charged
    </dd>
    {entry.batch_id && (
      <>
        <dt>Batch</dt>
        <dd>
          <span class="mono">{entry.batch_id}</span>{' '}
          {batch_status && <Badge>{batch_status.replaceAll('_', ' ')}</Badge>}
        </dd>
      </>
    )}
    <dt>Key</dt>
    <dd>
      {key_label ?? '–'} {entry.key_id && <a href={`/logs?key=${entry.key_id}`}>Requests with this key</a>}
    </dd>
    {entry.error_code && (
      <>
        <dt>Help</dt>
        <dd>
          <a href={`/docs/errors#${entry.error_code}`}>What this error means</a>
        </dd>
      </>
    )}
  </dl>
);
