import { useState } from 'preact/hooks';
import { post } from '../../api.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Form } from '../../components/form.tsx';
import { PasswordField } from '../../components/password-field.tsx';
import { useMe, useSession } from '../../session.tsx';
import { useCall } from '../../use-call.ts';

export const LeaveDialog = ({ onClose }: { onClose: () => void }) => {
  const { account, accounts, role } = useMe();
  const { choose } = useSession();
  const { busy, problem, run } = useCall();
  const [password, setPassword] = useState('');
  const next = accounts.find(({ account_id }) => account_id !== account.account_id);
  const leave = async (): Promise<void> => {
    const body = role === 'owner' ? { password } : {};
    if ((await run(post('/members/leave', body))).ok && next) await choose(next.account_id);
  };
  return (
    <Dialog
      title="Leave this account?"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Stay</Button>
          <Button kind="danger primary" type="submit" form="leave-account" busy={busy}>
            Leave
          </Button>
        </>
      }
    >
      <Form id="leave-account" onSubmit={leave} problem={problem}>
        <p class="small">You lose access at once, in every session of yours. Only an owner can invite you again.</p>
        {role === 'owner' && <PasswordField value={password} onInput={setPassword} />}
      </Form>
    </Dialog>
  );
};
