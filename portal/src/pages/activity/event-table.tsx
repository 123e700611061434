import type { AuditRow } from '../../../../shared/portal-api.ts';
import { Badge } from '../../components/badge.tsx';
import { Table } from '../../components/table.tsx';
import { timeText } from '../../format.ts';
import { placeOf } from '../../place.ts';
import { useMe } from '../../session.tsx';
import { actorName, eventName } from './event-names.ts';

/** Where it came from, as far as that is known and still kept. */
const origin = ({ address, country }: AuditRow): string =>
  [address, country === null ? null : placeOf(country)].filter((part) => part !== null).join(', ');

const Row = ({ row }: { row: AuditRow }) => (
  <tr>
    <td class="lead">
      <span class="row tight">
        {eventName(row.action)} {row.actor === 'somebody' && <Badge tone="warn">Failed</Badge>}
      </span>
    </td>
    <td data-label="By">{actorName(row, useMe().user.id)}</td>
    <td data-label="Details" class="muted">
      {row.detail} {row.subject && <span class="mono small">{row.subject}</span>}
    </td>
    <td data-label="From" class="muted">
      {origin(row)}
    </td>
    <td data-label="Time" class="nowrap muted">
      <time dateTime={row.at} title={row.at}>
        {timeText(row.at)}
      </time>
    </td>
  </tr>
);

export const EventTable = ({ rows }: { rows: readonly AuditRow[] }) => (
  <div class="scroll-x">
    <Table class="cards-on-phone" caption="Activity" columns={['What', 'By', 'Details', 'From', 'Time']}>
      {rows.map((row) => (
        <Row key={row.id} row={row} />
      ))}
    </Table>
  </div>
);
