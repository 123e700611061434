import { useState } from 'preact/hooks';
import { post } from '../../api.ts';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { Field } from '../../components/field.tsx';
import { NewPasswordField } from '../../components/new-password-field.tsx';
import { Notice } from '../../components/notice.tsx';

const passwordMessages: Record<string, string> = { INVALID_PASSWORD: 'The current password is wrong.' };

export const PasswordCard = () => {
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [busy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState<{ tone: 'good' | 'bad'; text: string }>();
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    const answer = await post('/auth/change-password', {
      currentPassword: current,
      newPassword: next,
      revokeOtherSessions: true,
    });
    setBusy(false);
    if (!answer.ok)
      return setOutcome({ tone: 'bad', text: passwordMessages[answer.problem.code] ?? answer.problem.detail });
    setCurrent('');
    setNext('');
    setOutcome({ tone: 'good', text: 'Password changed. Other sessions were signed out.' });
  };
  return (
    <Card title="Password">
      <form class="form half" onSubmit={submit}>
        {outcome && <Notice tone={outcome.tone}>{outcome.text}</Notice>}
        <Field
          label="Current password"
          type="password"
          autoComplete="current-password"
          required
          value={current}
          onInput={(e) => setCurrent(e.currentTarget.value)}
        />
        <NewPasswordField label="New password" value={next} onInput={setNext} />
        <div>
          <Button type="submit" busy={busy}>
            Change password
          </Button>
        </div>
      </form>
    </Card>
  );
};
