import { useLocation } from 'preact-iso/router';
import { API_PREFIX } from '../../../../shared/paths.ts';
import type { KeyRow, LogRow } from '../../../../shared/portal-api.ts';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Table } from '../../components/table.tsx';
import { duration, timeText } from '../../format.ts';
import { marketplaceLabels } from '../../marketplace-labels.ts';

type Props = { row: LogRow; keyLabel: string | undefined };

/** The first file, how many more there are, and the marketplaces where not only Amazon. */
const namesText = ({ names: [first = '', ...more], marketplaces }: LogRow): string =>
  [
    more.length > 0 ? `${first} and ${more.length} more` : first,
    ...(marketplaces.join() === 'amazon' ? [] : [marketplaces.map((name) => labelOf(name)).join(', ')]),
  ].join(' · ');
const labelOf = (name: string): string => (marketplaceLabels as Readonly<Record<string, string>>)[name] ?? name;

const Row = ({ row, keyLabel }: Props) => {
  const { route: navigate } = useLocation();
  const href = `/logs/${row.request_id}`;
  // The whole row opens the request; its link is what keyboard and screen reader use.
  const open = (event: MouseEvent): void => {
    if (!(event.target as Element).closest('a')) navigate(href);
  };
  return (
    <tr class="link" onClick={open}>
      <td data-label="Time" class="nowrap muted">
        <time dateTime={row.at} title={row.at}>
          {timeText(row.at)}
        </time>
      </td>
      <td data-label="Status">
        <span class="row tight nowrap">
          <StatusBadge status={row.status} />
        </span>
      </td>
      <td data-label="Request">
        <div class="request-cell">
          <a class="mono" href={href}>
            {row.method} {row.path.replace(API_PREFIX, '')}
          </a>
          {row.error_code && <span class="mono small bad-text">{row.error_code}</span>}
          {row.names.length > 0 && <span class="small muted">{namesText(row)}</span>}
        </div>
      </td>
      <td data-label="Key" class="muted">
        {keyLabel ?? '–'}
      </td>
      <td data-label="Images" class="right">
        {row.images || '–'}
      </td>
      <td data-label="Credits" class="right">
        {row.credits || '–'}
      </td>
      <td data-label="Latency" class="right nowrap">
        {duration(row.duration_ms)}
      </td>
    </tr>
  );
};

export const LogTable = ({ rows, keys }: { rows: readonly LogRow[]; keys: readonly KeyRow[] }) => (
  <div class="scroll-x">
    <Table
      class="cards-on-phone log-table"
      caption="Requests, newest first"
      columns={['Time', 'Status', 'Request', 'Key', { right: 'Images' }, { right: 'Credits' }, { right: 'Latency' }]}
    >
      {rows.map((row) => (
        <Row key={row.request_id} row={row} keyLabel={keys.find((key) => key.key_id === row.key_id)?.label} />
      ))}
    </Table>
  </div>
);
