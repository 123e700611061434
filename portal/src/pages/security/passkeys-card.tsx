import { useState } from 'preact/hooks';
import type { SecurityOverview } from '../../../../shared/portal-api.ts';
import { post } from '../../api.ts';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { Field } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { Notice } from '../../components/notice.tsx';
import { dateText } from '../../format.ts';
import { addPasskey, passkeysWork } from '../../passkeys.ts';
import { useSession } from '../../session.tsx';
import { useCall } from '../../use-call.ts';

const NAME_CHARS_MAX = 40;
const messages = {
  SESSION_NOT_FRESH: 'You signed in a while ago. Sign out and in again, then add the passkey within 15 minutes.',
};

type Passkeys = SecurityOverview['passkeys'];

const AddForm = ({ onChange }: { onChange: () => void }) => {
  const { busy, problem, run } = useCall(messages);
  const [name, setName] = useState('');
  const add = async (): Promise<void> => {
    const { ok } = await run(addPasskey(name));
    if (!ok) return;
    setName('');
    onChange();
  };
  return (
    <Form class="half" onSubmit={add} problem={problem}>
      <Field
        label="Name of the new passkey"
        name="passkey-name"
        hint="For you to tell it by, such as: work laptop."
        required
        maxLength={NAME_CHARS_MAX}
        value={name}
        onInput={(e) => setName(e.currentTarget.value)}
      />
      <div>
        <Button type="submit" busy={busy}>
          Add a passkey
        </Button>
      </div>
    </Form>
  );
};

const List = ({ passkeys, onChange }: { passkeys: Passkeys; onChange: () => void }) => {
  const remove = async (id: string): Promise<void> => {
    await post('/auth/passkey/delete-passkey', { id });
    onChange();
  };
  return (
    <ul class="plain stack tight">
      {passkeys.map(({ id, name, created_at }) => (
        <li key={id} class="row between">
          <span>
            {name} <span class="muted small">since {dateText(created_at)}</span>
          </span>
          <Button kind="quiet" compact class="danger" aria-label={`Remove ${name}`} onClick={() => void remove(id)}>
            Remove
          </Button>
        </li>
      ))}
    </ul>
  );
};

export const PasskeysCard = ({ passkeys, onChange }: { passkeys: Passkeys; onChange: () => void }) => {
  const { config } = useSession();
  return (
    <Card title="Passkeys" lead="Sign in with a fingerprint, a face or a PIN. Needs neither password nor code.">
      <div class="stack">
        {passkeys.length > 0 && <List passkeys={passkeys} onChange={onChange} />}
        {passkeysWork() ? (
          <AddForm onChange={onChange} />
        ) : (
          <Notice>
            {config?.local
              ? 'Browsers make passkeys for names only: open this portal as localhost instead of 127.0.0.1.'
              : 'This browser cannot make passkeys.'}
          </Notice>
        )}
      </div>
    </Card>
  );
};
