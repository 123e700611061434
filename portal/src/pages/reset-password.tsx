import { useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso/router';
import { post } from '../api.ts';
import { Button } from '../components/button.tsx';
import { NewPasswordField } from '../components/new-password-field.tsx';
import { Notice } from '../components/notice.tsx';
import { PageHead } from '../components/page-head.tsx';

const ResetPassword = () => {
  const { query } = useRoute();
  const { route: navigate } = useLocation();
  const [password, setPassword] = useState('');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    const answer = await post('/auth/reset-password', { newPassword: password, token: query['token'] ?? '' });
    setBusy(false);
    if (answer.ok) navigate('/sign-in?reset=done', true);
    else
      setProblem(
        answer.problem.code === 'INVALID_TOKEN'
          ? 'This link was already used or has expired. Ask for a new one.'
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
