import { useState } from 'preact/hooks';
import { post } from '../../api.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { Form } from '../../components/form.tsx';
import { PasswordField } from '../../components/password-field.tsx';
import { useCall } from '../../use-call.ts';
import { RecoveryDialog } from './recovery-dialog.tsx';
import { type NewCodes, SetUpDialog } from './set-up-dialog.tsx';

const messages = { INVALID_PASSWORD: 'The password is wrong.' };

/** Every change asks for the password. */
export const TwoFactorCard = ({ isOn, onChange }: { isOn: boolean; onChange: () => void }) => {
  const { busy, problem, run } = useCall(messages);
  const [password, setPassword] = useState('');
  const [setUp, setSetUp] = useState<NewCodes>();
  const [recovery, setRecovery] = useState<readonly string[]>();
  const act = async <T,>(path: string): Promise<T | undefined> => {
    const answer = await run(post<T>(`/auth/two-factor/${path}`, { password }));
    setPassword('');
    return answer.ok ? answer.value : undefined;
  };
  const switchOn = async (): Promise<void> => setSetUp(await act<NewCodes>('enable'));
  const renew = async (): Promise<void> =>
    setRecovery((await act<{ backupCodes: readonly string[] }>('generate-backup-codes'))?.backupCodes);
  const switchOff = async (): Promise<void> => {
    await act('disable');
    onChange();
  };
  return (
    <Card
      title="Two-factor sign-in"
      lead="After the password, a code of an authenticator app on your phone."
      action={<Badge tone={isOn ? 'good' : undefined}>{isOn ? 'On' : 'Off'}</Badge>}
    >
      <Form class="half" onSubmit={isOn ? switchOff : switchOn} problem={problem}>
        <PasswordField value={password} onInput={setPassword} />
        <div class="row">
          <Button type="submit" kind={isOn ? 'danger' : ''} busy={busy}>
            {isOn ? 'Switch off' : 'Switch on'}
          </Button>
          {isOn && (
            <Button disabled={busy || password === ''} onClick={() => void renew()}>
              New recovery codes
            </Button>
          )}
        </div>
      </Form>
      {setUp && (
        <SetUpDialog
          codes={setUp}
          onClose={() => setSetUp(undefined)}
          onDone={() => {
            setSetUp(undefined);
            setRecovery(setUp.backupCodes);
            onChange();
          }}
        />
      )}
      {recovery && <RecoveryDialog codes={recovery} onClose={() => setRecovery(undefined)} />}
    </Card>
  );
};
