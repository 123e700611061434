import { useState } from 'preact/hooks';
import { post } from '../api.ts';
import { navigate, useLocation } from '../router.tsx';
import { Button, Notice, PageHead } from '../ui/kit.tsx';
import { NewPasswordField } from './parts/new-password-field.tsx';

const ResetPassword = () => {
  const { query } = useLocation();
  const [password, setPassword] = useState('');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    const answer = await post('/auth/reset-password', { newPassword: password, token: query.get('token') ?? '' });
    setBusy(false);
    if (answer.ok) navigate('/sign-in?reset=done', { replace: true });
    else
      setProblem(
        answer.problem.code === 'INVALID_TOKEN'
          ? 'This link was used already or is too old. Ask for a new one.'
          : answer.problem.detail,
      );
  };
  return (
    <>
      <PageHead title="Choose a new password" lead="You will be signed out everywhere else." />
      <form class="form" onSubmit={submit}>
        {problem && <Notice tone="bad">{problem}</Notice>}
        <NewPasswordField label="New password" name="password" value={password} onInput={setPassword} />
        <Button type="submit" kind="primary" class="wide" busy={busy}>
          Set password
        </Button>
      </form>
      <div class="links">
        <a href="/forgot-password">Send a new link</a>
      </div>
    </>
  );
};
export default ResetPassword;
