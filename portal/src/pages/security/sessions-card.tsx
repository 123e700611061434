import type { SessionRow } from '../../../../shared/portal-api.ts';
import { post } from '../../api.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { Problem } from '../../components/problem.tsx';
import { Table } from '../../components/table.tsx';
import { ago, dateText } from '../../format.ts';
import { placeOf } from '../../place.ts';
import { useCall } from '../../use-call.ts';

const Row = ({ row, onEnd }: { row: SessionRow; onEnd: () => void }) => (
  <tr>
    <td class="lead">
      <span class="row tight">
        {row.device} {row.current && <Badge tone="good">This session</Badge>}
      </span>
    </td>
    <td data-label="Place">{placeOf(row.country)}</td>
    <td data-label="Last used" class="nowrap muted">
      {row.current ? 'Now' : ago(row.last_used_at)}
    </td>
    <td data-label="Began" class="nowrap muted">
      {dateText(row.began_at)}
    </td>
    <td class="right bare">
      {!row.current && (
        <Button kind="quiet" compact class="danger" aria-label={`End ${row.device}`} onClick={onEnd}>
          End
        </Button>
      )}
    </td>
  </tr>
);

export const SessionsCard = ({ sessions, onChange }: { sessions: readonly SessionRow[]; onChange: () => void }) => {
  const { busy, problem, run } = useCall();
  const end = async (path: string): Promise<void> => {
    await run(post(`/account/sessions/${path}`));
    onChange();
  };
  return (
    <Card
      title="Sessions"
      lead="A session ends a week after it was last used. Last use is exact to an hour."
      action={
        sessions.length > 1 && (
          <Button compact busy={busy} onClick={() => void end('end-others')}>
            End all others
          </Button>
        )
      }
      flush
    >
      <Problem problem={problem} />
      <div class="scroll-x">
        <Table
          class="cards-on-phone"
          caption="Sessions"
          columns={['Device', 'Place', 'Last used', 'Began', { hidden: 'Actions' }]}
        >
          {sessions.map((row) => (
            <Row key={row.id} row={row} onEnd={() => void end(`${row.id}/end`)} />
          ))}
        </Table>
      </div>
    </Card>
  );
};
