import { useState } from 'preact/hooks';
import { useRoute } from 'preact-iso/router';
import { post } from '../api.ts';
import { Button } from '../components/button.tsx';
import { Form } from '../components/form.tsx';
import { NewPasswordField } from '../components/new-password-field.tsx';
import { Notice } from '../components/notice.tsx';
import { PageHead } from '../components/page-head.tsx';
import { useSession } from '../session.tsx';
import { useCall } from '../use-call.ts';

const messages = { INVALID_TOKEN: 'This link was already used or has expired. Ask for a new one.' };

const ResetPassword = () => {
  const { query } = useRoute();
  const { me, refresh } = useSession();
  const [done, setDone] = useState(false);
  const [password, setPassword] = useState('');
  const { busy, problem, run } = useCall(messages);
  const submit = async (): Promise<void> => {
    const answer = await run(post('/auth/reset-password', { newPassword: password, token: query['token'] ?? '' }));
    if (!answer.ok) return;
    await refresh();
    setDone(true);
  };
  if (done)
    return (
      <>
        <PageHead title="Password changed" />
        <Notice tone="good">Your password was changed. Whoever was signed in with the old one is signed out.</Notice>
        <a class="button primary wide" href={me ? '/overview' : '/sign-in'}>
          {me ? 'Go to the overview' : 'Sign in with the new password'}
        </a>
      </>
    );
  return (
    <>
      <PageHead title="Choose a new password" lead="You will be signed out everywhere else." />
      <Form onSubmit={submit} problem={problem}>
        <NewPasswordField label="New password" name="password" value={password} onInput={setPassword} />
        <Button type="submit" kind="primary" class="wide" busy={busy}>
          Set password
        </Button>
      </Form>
      <div class="links">
        <a href="/forgot-password">Send a new link</a>
      </div>
    </>
  );
};
export default ResetPassword;
