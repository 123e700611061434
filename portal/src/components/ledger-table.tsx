import type { LedgerRow } from '../../../shared/portal-api.ts';
import { ago, dollars, signed, timeText } from '../format.ts';

const cls = (n: number): string => (n > 0 ? 'gain' : '');
export const LedgerTable = ({ rows }: { rows: readonly LedgerRow[] }) => (
  <div class="scroll-x">
    <table class="cards-on-phone">
      <caption class="visually-hidden">Ledger entries, newest first</caption>
      <thead>
        <tr>
          <th>Movement</th>
          <th>When</th>
          <th class="right">Available</th>
          <th class="right">Held</th>
          <th class="right">Balance after</th>
        </tr>
      </thead>
      <tbody>
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
      </tbody>
    </table>
  </div>
);
