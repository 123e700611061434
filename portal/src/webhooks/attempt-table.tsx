/** Attempts at webhooks; each opens with the body that was signed. */
import { useState } from 'preact/hooks';
import type { WebhookAttemptRow } from '../../../shared/portal-api.ts';
import { Badge } from '../components/badge.tsx';
import { Button } from '../components/button.tsx';
import { Table } from '../components/table.tsx';
import { duration, timeText } from '../format.ts';
import { AttemptDialog } from './attempt-dialog.tsx';
import { answerText, outcomes, senders } from './words.ts';

type RowProps = { row: WebhookAttemptRow; onOpen: () => void };

const Row = ({ row, onOpen }: RowProps) => (
  <tr>
    <td data-label="Time" class="nowrap muted">
      <time dateTime={row.at} title={row.at}>
        {timeText(row.at)}
      </time>
    </td>
    <td data-label="Outcome">
      <Badge tone={outcomes[row.outcome].tone}>{outcomes[row.outcome].name}</Badge>
    </td>
    <td data-label="Response" class="nowrap">
      {answerText(row)}
    </td>
    <td data-label="Event" class="mono small nowrap">
      {row.event}
    </td>
    <td data-label="Sent to" class="mono small attempt-url">
      {row.url}
    </td>
    <td data-label="Sent">{senders[row.sent_by]}</td>
    <td data-label="Took" class="right nowrap">
      {duration(row.duration_ms)}
    </td>
    <td class="right">
      <Button compact onClick={onOpen} aria-label={`Details of the delivery of ${timeText(row.at)}`}>
        Details
      </Button>
    </td>
  </tr>
);

type Props = { rows: readonly WebhookAttemptRow[]; onSent: () => void };

export const AttemptTable = ({ rows, onSent }: Props) => {
  const [opened, setOpened] = useState<WebhookAttemptRow>();
  return (
    <div class="scroll-x">
      <Table
        class="cards-on-phone"
        caption="Deliveries, newest first"
        columns={['Time', 'Outcome', 'Response', 'Event', 'Sent to', 'Sent', { right: 'Took' }, { hidden: 'Details' }]}
      >
        {rows.map((row) => (
          <Row key={row.attempt_id} row={row} onOpen={() => setOpened(row)} />
        ))}
      </Table>
      {opened && <AttemptDialog row={opened} onClose={() => setOpened(undefined)} onSent={onSent} />}
    </div>
  );
};
