/** Profile, password, deletion. */
import { useState } from 'preact/hooks';
import type { PortalProblem } from '../../../shared/portal-api.ts';
import { post } from '../api.ts';
import { dateText, dollars, plural } from '../format.ts';
import { forgetKeys } from '../held-keys.ts';
import { useMe, useSession } from '../session.tsx';
import { CopyButton } from '../ui/copy.tsx';
import { Button, Card, Dialog, Field, Notice, PageHead, Problem } from '../ui/kit.tsx';
import { NewPasswordField } from './parts/new-password-field.tsx';

const passwordMessages: Record<string, string> = { INVALID_PASSWORD: 'The current password is wrong.' };

const PasswordCard = () => {
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

const DeleteDialog = ({ onClose }: { onClose: () => void }) => {
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
          All keys stop working at once, and you cannot sign in again. Receipts are kept as long as the law asks.
        </p>
        {unused > 0 ? (
          <Notice tone="bad">
            <strong>
              You lose {plural(unused, 'unused credit')} worth {dollars(unused)}.
            </strong>{' '}
            They are not paid out and cannot be restored.
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

const Settings = () => {
  const { user, account } = useMe();
  const { signOut } = useSession();
  const [deleting, setDeleting] = useState(false);
  return (
    <>
      <PageHead title="Settings" />
      <div class="stack">
        <Card
          title="Account"
          action={
            <Button compact onClick={() => void signOut()}>
              Sign out
            </Button>
          }
        >
          <dl class="facts">
            <dt>Name</dt>
            <dd>{user.name}</dd>
            <dt>Mail address</dt>
            <dd>{user.email}</dd>
            <dt>Account id</dt>
            <dd class="row tight">
              <span class="mono small">{account.account_id}</span>
              <CopyButton text={account.account_id} label="Copy account id" />
            </dd>
            <dt>Since</dt>
            <dd>{dateText(user.created_at)}</dd>
          </dl>
        </Card>
        <PasswordCard />
        <Card
          title="Delete account"
          lead="Ends access for good. You will be told what is lost before anything happens."
        >
          <Button kind="danger" onClick={() => setDeleting(true)}>
            Delete account…
          </Button>
        </Card>
      </div>
      {deleting && <DeleteDialog onClose={() => setDeleting(false)} />}
    </>
  );
};
export default Settings;
