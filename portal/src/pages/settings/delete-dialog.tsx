import { useState } from 'preact/hooks';
import { post } from '../../api.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Form } from '../../components/form.tsx';
import { Notice } from '../../components/notice.tsx';
import { PasswordField } from '../../components/password-field.tsx';
import { dollars, plural } from '../../format.ts';
import { forgetKeys } from '../../held-keys.ts';
import { useMe, useSession } from '../../session.tsx';
import { useCall } from '../../use-call.ts';

/** What is lost with the account. `unused`: credits. */
const Loss = ({ unused }: { unused: number }) =>
  unused > 0 ? (
    <Notice tone="bad">
      <strong>
        You lose {plural(unused, 'unused credit')} worth {dollars(unused)}.
      </strong>{' '}
      They are not refunded and cannot be restored.
    </Notice>
  ) : (
    <Notice>No unused credits are lost.</Notice>
  );

const useDeletion = (isOwn: boolean) => {
  const { refresh } = useSession();
  const call = useCall();
  const remove = async (password: string, unused: number): Promise<void> => {
    const answer = await call.run(post('/account/delete', { password, forfeited_credits: unused }));
    if (!answer.ok) return refresh();
    forgetKeys();
    location.assign(isOwn ? '/sign-in?deleted=done' : '/overview');
  };
  return { ...call, remove };
};

export const DeleteDialog = ({ onClose }: { onClose: () => void }) => {
  const { account, accounts } = useMe();
  const isOwn = accounts.some(({ account_id, is_own }) => is_own && account_id === account.account_id);
  const { busy, problem, remove } = useDeletion(isOwn);
  const [password, setPassword] = useState('');
  const [understood, setUnderstood] = useState(false);
  const unused = Math.max(0, account.available);
  return (
    <Dialog
      title="Delete your account?"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Keep account</Button>
          <Button kind="danger primary" type="submit" form="delete-account" busy={busy} disabled={!understood}>
            Delete account
          </Button>
        </>
      }
    >
      <Form id="delete-account" onSubmit={() => remove(password, unused)} problem={problem}>
        <p class="small">
          All keys stop working at once, and no member can open the account any more.{' '}
          {isOwn ? 'Your user is deleted with it: you cannot sign in again.' : 'Your user stays.'} Receipts are kept as
          long as the law requires.
        </p>
        <Loss unused={unused} />
        <label class="checkbox">
          <input type="checkbox" checked={understood} onChange={(e) => setUnderstood(e.currentTarget.checked)} />
          {unused > 0
            ? `I give up ${plural(unused, 'credit')} worth ${dollars(unused)}`
            : 'I want to delete this account'}
        </label>
        <PasswordField value={password} onInput={setPassword} />
      </Form>
    </Dialog>
  );
};
