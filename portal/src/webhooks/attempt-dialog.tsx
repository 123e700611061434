/** One attempt: what was sent, what came of it, and sending it again. */
import { useState } from 'preact/hooks';
import type { WebhookAttemptDetail, WebhookAttemptRow, WebhookSent } from '../../../shared/portal-api.ts';
import { post } from '../api.ts';
import { Badge } from '../components/badge.tsx';
import { Button } from '../components/button.tsx';
import { Code } from '../components/code.tsx';
import { CopyButton } from '../components/copy-button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Notice } from '../components/notice.tsx';
import { Problem } from '../components/problem.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { duration, timeText } from '../format.ts';
import { useCall } from '../use-call.ts';
import { useQuery } from '../use-query.ts';
import { answerText, outcomes, senders } from './words.ts';

const Facts = ({ row }: { row: WebhookAttemptRow }) => (
  <dl class="facts">
    <dt>Outcome</dt>
    <dd>
      <Badge tone={outcomes[row.outcome].tone}>{outcomes[row.outcome].name}</Badge> {answerText(row)} in{' '}
      {duration(row.duration_ms)}
    </dd>
    <dt>Time</dt>
    <dd>
      {timeText(row.at)} <span class="muted">({row.at})</span>
    </dd>
    <dt>Sent to</dt>
    <dd class="mono">{row.url}</dd>
    <dt>Sent</dt>
    <dd>{senders[row.sent_by]}</dd>
    <dt>Event</dt>
    <dd class="mono">
      {row.event} {row.event_id} <CopyButton text={row.event_id} label="Copy event id" />
    </dd>
    {row.batch_id && (
      <>
        <dt>Batch</dt>
        <dd class="mono">{row.batch_id}</dd>
      </>
    )}
  </dl>
);

/** Indented for reading; what was signed has no spaces. */
const readable = (body: string): string => {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
};

const Body = ({ detail: { body, is_cut } }: { detail: WebhookAttemptDetail }) =>
  body === null ? (
    <p class="small muted">The body was erased with an image that it named.</p>
  ) : (
    <>
      <Code title={is_cut ? 'Beginning of the body' : 'Body, indented'} language="json" source={readable(body)} />
      <p class="small muted row tight">
        <CopyButton text={body} label="Copy the body as it was signed" showLabel quiet={false} />
      </p>
    </>
  );

type Props = { row: WebhookAttemptRow; onClose: () => void; onSent: () => void };

export const AttemptDialog = ({ row, onClose, onSent }: Props) => {
  const { value, problem } = useQuery<WebhookAttemptDetail>(`/webhook-attempts/${row.attempt_id}`);
  const sending = useCall();
  const mayResend = row.sent_by !== 'test' && (row.batch_id !== null || row.endpoint_id !== null);
  const [sent, setSent] = useState<WebhookAttemptRow>();
  const resend = async (): Promise<void> => {
    const what = row.endpoint_id ? { attempt_id: row.attempt_id } : { batch_id: row.batch_id };
    const answer = await sending.run(post<WebhookSent>('/webhook-attempts/resend', what));
    if (!answer.ok) return;
    setSent(answer.value.attempt);
    onSent();
  };
  return (
    <Dialog
      title="Delivery"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          {mayResend && (
            <Button kind="primary" busy={sending.busy} onClick={() => void resend()}>
              Resend
            </Button>
          )}
        </>
      }
    >
      <div class="stack tight">
        <Problem problem={sending.problem ?? problem} />
        {sent && <SentNotice sent={sent} />}
        <Facts row={row} />
        {!value && !problem && <Skeleton height={8} />}
        {value && <Body detail={value} />}
      </div>
    </Dialog>
  );
};

/** What came of a webhook that was sent by hand. */
export const SentNotice = ({ sent }: { sent: WebhookAttemptRow }) => (
  <Notice tone={outcomes[sent.outcome].tone}>
    {outcomes[sent.outcome].name}: {answerText(sent)} in {duration(sent.duration_ms)}.
  </Notice>
);
