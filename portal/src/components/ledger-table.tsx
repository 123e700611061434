import type { LedgerRow } from '../../../shared/portal-api.ts';
import { ago, dollars, signed, timeText } from '../format.ts';
import { Table } from './table.tsx';

const cls = (n: number): string => (n > 0 ? 'gain' : '');
export const LedgerTable = ({ rows }: { rows: readonly LedgerRow[] }) => (
  <div class="scroll-x">
    <Table
      class="cards-on-phone"
      caption="Ledger entries, newest first"
      columns={['Movement', 'When', { right: 'Available' }, { right: 'Held' }, { right: 'Balance after' }]}
    >
      {rows.map((row) => (
        <tr key={row.sequence}>
          <td class="lead">
            <div>
              {row.description}
              {row.reference && <div class="mono small muted ref">{row.reference}</div>}
            </div>
          </td>
          <td data-label="When" class="nowrap muted" title={row.at}>
            <time dateTime={row.at} title={timeText(row.at)}>
              {ago(row.at)}
            </time>
          </td>
          <td data-label="Available" class={`right ${cls(row.available_change)}`}>
            {signed(row.available_change)}
          </td>
          <td data-label="Held" class="right muted">
            {signed(row.held_change)}
          </td>
          <td data-label="Balance after" class="right">
            {dollars(row.available_after)}
          </td>
        </tr>
      ))}
    </Table>
  </div>
);
