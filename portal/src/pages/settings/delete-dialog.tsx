import { useState } from 'preact/hooks';
import type { PortalProblem } from '../../../../shared/portal-api.ts';
import { post } from '../../api.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Field } from '../../components/field.tsx';
import { Notice } from '../../components/notice.tsx';
import { Problem } from '../../components/problem.tsx';
import { dollars, plural } from '../../format.ts';
import { forgetKeys } from '../../held-keys.ts';
import { useMe, useSession } from '../../session.tsx';

export const DeleteDialog = ({ onClose }: { onClose: () => void }) => {
  const { account } = useMe();
  const { refresh } = useSession();
  const [password, setPassword] = useState('');
  const [understood, setUnderstood] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<PortalProblem>();
  const unused = Math.max(0, account.available);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    const answer = await post('/account/delete', { password, forfeited_credits: unused });
    setBusy(false);
    if (!answer.ok) {
      setProblem(answer.problem);
      return void refresh();
    }
    forgetKeys();
    location.assign('/sign-in?deleted=done');
  };
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
      <form id="delete-account" class="form" onSubmit={submit}>
        <Problem problem={problem} />
        <p class="small">
          All keys stop working at once, and you cannot sign in again. Receipts are kept as long as the law requires.
        </p>
        {unused > 0 ? (
          <Notice tone="bad">
            <strong>
              You lose {plural(unused, 'unused credit')} worth {dollars(unused)}.
            </strong>{' '}
            They are not refunded and cannot be restored.
          </Notice>
        ) : (
          <Notice>No unused credits are lost.</Notice>
        )}
        <label class="checkbox">
          <input type="checkbox" checked={understood} onChange={(e) => setUnderstood(e.currentTarget.checked)} />
          {unused > 0
            ? `I give up ${plural(unused, 'credit')} worth ${dollars(unused)}`
            : 'I want to delete this account'}
        </label>
        <Field
          label="Password"
          type="password"
          autoComplete="current-password"
          required
          value={password}
          onInput={(e) => setPassword(e.currentTarget.value)}
        />
      </form>
    </Dialog>
  );
};
