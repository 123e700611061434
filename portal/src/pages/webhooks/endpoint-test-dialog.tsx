/** A test event to one of the account's endpoints. */
import { useState } from 'preact/hooks';
import type { WebhookAttemptRow, WebhookEndpoint, WebhookSent } from '../../../../shared/portal-api.ts';
import { post } from '../../api.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Form } from '../../components/form.tsx';
import { useCall } from '../../use-call.ts';
import { SentNotice } from '../../webhooks/attempt-dialog.tsx';

type Props = { endpoint: WebhookEndpoint; onClose: () => void; onSent: () => void };

export const EndpointTestDialog = ({ endpoint: { endpoint_id, url, events }, onClose, onSent }: Props) => {
  const [event, setEvent] = useState(events[0]);
  const [sent, setSent] = useState<WebhookAttemptRow>();
  const { busy, problem, run } = useCall();
  const send = async (): Promise<void> => {
    setSent(undefined);
    const answer = await run(post<WebhookSent>('/webhook-attempts/test', { endpoint_id, event }));
    if (!answer.ok) return;
    setSent(answer.value.attempt);
    onSent();
  };
  return (
    <Dialog
      title="Send a test event"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button kind="primary" type="submit" form="endpoint-test" busy={busy}>
            Send test event
          </Button>
        </>
      }
    >
      <Form id="endpoint-test" onSubmit={send} problem={problem}>
        {sent && <SentNotice sent={sent} />}
        <p class="small">
          Signed like a real one; the body says <code>"test": true</code>. Sent to{' '}
          <span class="mono endpoint-url">{url}</span>
        </p>
        <fieldset class="choices">
          <legend class="label">Event</legend>
          {events.map((type) => (
            <label class="checkbox" key={type}>
              <input type="radio" name="test-event" checked={event === type} onChange={() => setEvent(type)} />
              <code>{type}</code>
            </label>
          ))}
        </fieldset>
      </Form>
    </Dialog>
  );
};
