/** An endpoint that is added or changed. */
import { useState } from 'preact/hooks';
import { limits } from '../../../../shared/limits.ts';
import type { WebhookEndpoint } from '../../../../shared/portal-api.ts';
import { TEST_WEBHOOK_EVENTS, WEBHOOK_EVENTS, type WebhookEventType } from '../../../../shared/webhook-events.ts';
import { call, post } from '../../api.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Field } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { useCall } from '../../use-call.ts';
import { eventTexts } from './endpoint-events.ts';

type Mode = WebhookEndpoint['mode'];
const modes = [
  ['live', 'Live', 'Batches of live keys.'],
  ['test', 'Test', 'Batches of test keys.'],
] as const;

const ModeChoice = ({ mode, onMode }: { mode: Mode; onMode: (mode: Mode) => void }) => (
  <fieldset class="choices">
    <legend class="label">Mode</legend>
    {modes.map(([value, name, text]) => (
      <label class="choice" key={value}>
        <input type="radio" name="endpoint-mode" checked={mode === value} onChange={() => onMode(value)} />
        <span>
          <strong>{name}</strong>
          <span class="hint">{text}</span>
        </span>
      </label>
    ))}
  </fieldset>
);

type EventsProps = {
  mode: Mode;
  events: readonly WebhookEventType[];
  onEvents: (events: readonly WebhookEventType[]) => void;
};

const EventChoice = ({ mode, events, onEvents }: EventsProps) => (
  <fieldset class="choices">
    <legend class="label">Events</legend>
    {(mode === 'test' ? TEST_WEBHOOK_EVENTS : WEBHOOK_EVENTS).map((type) => {
      const others = events.filter((other) => other !== type);
      return (
        <label class="checkbox" key={type}>
          <input
            type="checkbox"
            checked={events.includes(type)}
            onChange={(e) => onEvents(e.currentTarget.checked ? [...others, type] : others)}
          />
          <span>
            <code>{type}</code>
            <span class="hint block">{eventTexts[type]}</span>
          </span>
        </label>
      );
    })}
  </fieldset>
);

type Props = { endpoint?: WebhookEndpoint | undefined; onClose: () => void; onDone: () => void };

/** Without `endpoint` one is added. */
export const EndpointDialog = ({ endpoint, onClose, onDone }: Props) => {
  const [url, setUrl] = useState(endpoint?.url ?? '');
  const [mode, setMode] = useState<Mode>(endpoint?.mode ?? 'live');
  const [events, setEvents] = useState<readonly WebhookEventType[]>(endpoint?.events ?? ['batch.completed']);
  const { busy, problem, run } = useCall();
  const chosen = mode === 'test' ? events.filter((type) => TEST_WEBHOOK_EVENTS.includes(type)) : events;
  const submit = async (): Promise<void> => {
    const answer = await run(
      endpoint
        ? call('PATCH', `/webhook-endpoints/${endpoint.endpoint_id}`, { url, events: chosen })
        : post('/webhook-endpoints', { url, mode, events: chosen }),
    );
    if (answer.ok) onDone();
  };
  return (
    <Dialog
      title={endpoint ? 'Edit endpoint' : 'Add an endpoint'}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form="endpoint" busy={busy} disabled={chosen.length === 0}>
            {endpoint ? 'Save' : 'Add endpoint'}
          </Button>
        </>
      }
    >
      <Form id="endpoint" onSubmit={submit} problem={problem}>
        <Field
          label="Endpoint URL"
          name="endpoint-url"
          placeholder="https://"
          autoComplete="off"
          spellcheck={false}
          required
          maxLength={limits.webhook.urlCharsMax}
          value={url}
          onInput={(e) => setUrl(e.currentTarget.value.trim())}
          hint="A public address of your server."
        />
        {!endpoint && <ModeChoice mode={mode} onMode={setMode} />}
        <EventChoice mode={mode} events={events} onEvents={setEvents} />
      </Form>
    </Dialog>
  );
};
