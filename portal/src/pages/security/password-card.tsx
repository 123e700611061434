import { useState } from 'preact/hooks';
import { post } from '../../api.ts';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { Form } from '../../components/form.tsx';
import { NewPasswordField } from '../../components/new-password-field.tsx';
import { Notice } from '../../components/notice.tsx';
import { PasswordField } from '../../components/password-field.tsx';
import { useCall } from '../../use-call.ts';

const messages = { INVALID_PASSWORD: 'The current password is wrong.' };

export const PasswordCard = ({ onChange }: { onChange: () => void }) => {
  const { busy, problem, run } = useCall(messages);
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [changed, setChanged] = useState(false);
  const submit = async (): Promise<void> => {
    const body = { currentPassword: current, newPassword: next, revokeOtherSessions: true };
    const { ok } = await run(post('/auth/change-password', body));
    setChanged(ok);
    if (!ok) return;
    setCurrent('');
    setNext('');
    onChange();
  };
  return (
    <Card title="Password">
      <Form class="half" onSubmit={submit} problem={problem}>
        {changed && <Notice tone="good">Password changed. Other sessions were signed out.</Notice>}
        <PasswordField label="Current password" value={current} onInput={setCurrent} />
        <NewPasswordField label="New password" value={next} onInput={setNext} />
        <div>
          <Button type="submit" busy={busy}>
            Change password
          </Button>
        </div>
      </Form>
    </Card>
  );
};
