/** A test event to an address that is typed in. */
import { useState } from 'preact/hooks';
import type { WebhookAttemptRow, WebhookSent } from '../../../../shared/portal-api.ts';
import { post } from '../../api.ts';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { Field } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { useCall } from '../../use-call.ts';
import { SentNotice } from '../../webhooks/attempt-dialog.tsx';

export const TestCard = ({ onSent }: { onSent: () => void }) => {
  const { busy, problem, run } = useCall();
  const [url, setUrl] = useState('');
  const [sent, setSent] = useState<WebhookAttemptRow>();
  const send = async (): Promise<void> => {
    setSent(undefined);
    const answer = await run(post<WebhookSent>('/webhook-attempts/test', { url }));
    if (!answer.ok) return;
    setSent(answer.value.attempt);
    onSent();
  };
  return (
    <Card
      title="Send a test event"
      lead="To try your receiver: signed like a real delivery, about a batch that does not exist."
    >
      <Form onSubmit={send} problem={problem}>
        {sent && <SentNotice sent={sent} />}
        <Field
          label="URL of your receiver"
          hint={
            <>
              A public address. The body says <code>"test": true</code>.
            </>
          }
          name="webhook-url"
          placeholder="https://"
          autoComplete="off"
          spellcheck={false}
          required
          value={url}
          onInput={(e) => setUrl(e.currentTarget.value.trim())}
        />
        <div class="row">
          <Button type="submit" busy={busy}>
            Send test event
          </Button>
        </div>
      </Form>
    </Card>
  );
};
