import type { KeyRow } from '../../../../shared/portal-api.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { ago, dateText } from '../../format.ts';

type Act = (action: { kind: 'revoke' | 'rename'; row: KeyRow }) => void;

const Row = ({ row, act }: { row: KeyRow; act: Act }) => (
  <tr class={row.revoked_at ? 'faded' : ''}>
    <td class="lead">
      <span class="row tight">
        {row.label} {row.mode === 'test' && <Badge tone="info">Test</Badge>} {row.revoked_at && <Badge>Revoked</Badge>}
      </span>
    </td>
    <td data-label="Key">
      <span class="mono nowrap">{row.masked}</span>
    </td>
    <td data-label="Last used" class="nowrap muted">
      {row.last_used_at ? ago(row.last_used_at) : 'Never'}
    </td>
    <td data-label="Created" class="nowrap muted">
      {dateText(row.created_at)}
    </td>
    <td class="right bare">
      <span class="row tight end nowrap">
        <a class="button quiet compact" href={`/logs?key=${row.key_id}`} aria-label={`Logs of ${row.label}`}>
          Logs
        </a>
        {!row.revoked_at && (
          <>
            <Button
              kind="quiet"
              compact
              aria-label={`Rename ${row.label}`}
              onClick={() => act({ kind: 'rename', row })}
            >
              Rename
            </Button>
            <Button
              kind="quiet"
              compact
              class="danger"
              aria-label={`Revoke ${row.label}`}
              onClick={() => act({ kind: 'revoke', row })}
            >
              Revoke
            </Button>
          </>
        )}
      </span>
    </td>
  </tr>
);

export const KeyTable = ({ rows, act }: { rows: readonly KeyRow[]; act: Act }) => (
  <div class="scroll-x">
    <table class="cards-on-phone">
      <caption class="visually-hidden">Secret keys</caption>
      <thead>
        <tr>
          <th>Label</th>
          <th>Key</th>
          <th>Last used</th>
          <th>Created</th>
          <th>
            <span class="visually-hidden">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <Row key={row.key_id} row={row} act={act} />
        ))}
      </tbody>
    </table>
  </div>
);
