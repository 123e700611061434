import { useState } from 'preact/hooks';
import { post } from '../../api.ts';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { EmailField } from '../../components/email-field.tsx';
import { Form } from '../../components/form.tsx';
import { Notice } from '../../components/notice.tsx';
import { PasswordField } from '../../components/password-field.tsx';
import { useSession } from '../../session.tsx';
import { useCall } from '../../use-call.ts';

export const AddressCard = () => {
  const { config } = useSession();
  const { busy, problem, run } = useCall();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [sentTo, setSentTo] = useState<string>();
  const submit = async (): Promise<void> => {
    const { ok } = await run(post('/account/address', { email, password }));
    if (!ok) return;
    setSentTo(email);
    setEmail('');
    setPassword('');
  };
  return (
    <Card title="Email address" lead="The new address is confirmed by a link; the old one is told.">
      <Form class="half" onSubmit={submit} problem={problem}>
        {sentTo !== undefined && (
          <Notice tone="good">
            Open the link that we sent to {sentTo}. Until then nothing changes.
            {config?.mail === 'outbox' && (
              <>
                {' '}
                Local mode: see the <a href="/outbox">outbox</a>.
              </>
            )}
          </Notice>
        )}
        <EmailField label="New email address" autoComplete="email" value={email} onInput={setEmail} />
        <PasswordField value={password} onInput={setPassword} />
        <div>
          <Button type="submit" busy={busy}>
            Change address
          </Button>
        </div>
      </Form>
    </Card>
  );
};
