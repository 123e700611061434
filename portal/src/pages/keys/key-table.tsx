import type { KeyRow } from '../../../../shared/portal-api.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Table } from '../../components/table.tsx';
import { ago, dateText } from '../../format.ts';
import { isOver, limitTexts } from './limits.ts';

type Act = (action: { kind: 'revoke' | 'edit' | 'roll'; row: KeyRow }) => void;

const Standing = ({ row }: { row: KeyRow }) =>
  row.revoked_at ? <Badge>Revoked</Badge> : isOver(row) ? <Badge tone="warn">Expired</Badge> : null;

const Row = ({ row, act }: { row: KeyRow; act: Act }) => (
  <tr class={isOver(row) ? 'faded' : ''}>
    <td class="lead">
      <span class="row tight">
        {row.label} {row.mode === 'test' && <Badge tone="info">Test</Badge>} <Standing row={row} />
      </span>
      <span class="mono nowrap block muted">{row.masked}</span>
    </td>
    <td data-label="Limits" class="small muted">
      <div>
        {limitTexts(row).map((text) => (
          <span key={text} class="block">
            {text}
          </span>
        ))}
        {limitTexts(row).length === 0 && '–'}
      </div>
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
        {!isOver(row) && (
          <>
            <Button kind="quiet" compact aria-label={`Edit ${row.label}`} onClick={() => act({ kind: 'edit', row })}>
              Edit
            </Button>
            <Button kind="quiet" compact aria-label={`Roll ${row.label}`} onClick={() => act({ kind: 'roll', row })}>
              Roll
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
    <Table
      class="cards-on-phone"
      caption="Secret keys"
      columns={['Key', 'Limits', 'Last used', 'Created', { hidden: 'Actions' }]}
    >
      {rows.map((row) => (
        <Row key={row.key_id} row={row} act={act} />
      ))}
    </Table>
  </div>
);
