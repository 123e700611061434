import type { KeyRow } from '../../../../shared/portal-api.ts';
import type { Filter } from './use-log.ts';

const statuses = [
  ['', 'All statuses'],
  ['success', '2xx success'],
  ['client_error', '4xx refused'],
  ['server_error', '5xx failed'],
] as const;

type Props = { filter: Filter; keys: readonly KeyRow[]; onChange: (change: Partial<Filter>) => void };

export const Filters = ({ filter, keys, onChange }: Props) => (
  <div class="filters">
    <label>
      <span class="visually-hidden">Key</span>
      <select class="input" value={filter.key} onChange={(e) => onChange({ key: e.currentTarget.value })}>
        <option value="">All keys</option>
        {keys.map((key) => (
          <option key={key.key_id} value={key.key_id}>
            {key.label} ({key.masked})
          </option>
        ))}
      </select>
    </label>
    <label>
      <span class="visually-hidden">Status</span>
      <select class="input" value={filter.status} onChange={(e) => onChange({ status: e.currentTarget.value })}>
        {statuses.map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    </label>
  </div>
);
