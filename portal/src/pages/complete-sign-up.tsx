/** Where the link of the first mail leads: a name, a password, and the account is open. */
import { useEffect, useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso/router';
import type { KeyCreated } from '../../../shared/portal-api.ts';
import { type Answer, post } from '../api.ts';
import { Button } from '../components/button.tsx';
import { Form } from '../components/form.tsx';
import { NewUserFields } from '../components/new-user-fields.tsx';
import { PageHead } from '../components/page-head.tsx';
import { Problem } from '../components/problem.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { holdMade } from '../held-keys.ts';
import { useSession } from '../session.tsx';
import { useCall } from '../use-call.ts';

/** So that the first call can be pasted as it stands. Without it the page that follows offers to make one. */
const makeTestKey = async (): Promise<void> => {
  const answer = await post<KeyCreated>('/keys', { label: 'First key (test)', mode: 'test' });
  if (answer.ok) holdMade(answer.value);
};

const CompletionForm = ({ token, email }: { token: string; email: string }) => {
  const { route: navigate } = useLocation();
  const { refresh } = useSession();
  const { busy, problem, run } = useCall();
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const submit = async (): Promise<void> => {
    const answer = await run(post('/sign-up/complete', { token, name, password }));
    if (!answer.ok) return;
    await Promise.all([refresh(), makeTestKey()]);
    navigate('/overview?welcome=1', true);
  };
  return (
    <>
      <PageHead
        title="Choose a password"
        lead={
          <>
            <strong>{email}</strong> is confirmed.
          </>
        }
      />
      <Form onSubmit={submit} problem={problem}>
        <NewUserFields name={name} onName={setName} password={password} onPassword={setPassword} />
        <Button type="submit" kind="primary" class="wide" busy={busy}>
          Create account
        </Button>
      </Form>
    </>
  );
};

const CHECK_REM = 6;

const CompleteSignUp = () => {
  const token = useRoute().query['token'] ?? '';
  const [link, setLink] = useState<Answer<{ email: string }>>();
  useEffect(() => {
    void post<{ email: string }>('/sign-up/link', { token }).then(setLink);
  }, [token]);
  if (link?.ok) return <CompletionForm token={token} email={link.value.email} />;
  return (
    <>
      <PageHead title="Choose a password" />
      {/* As high in both states, so that nothing moves when the answer comes. */}
      <div style={{ minHeight: `${CHECK_REM}rem` }}>
        {link ? <Problem problem={link.problem} /> : <Skeleton height={CHECK_REM} />}
      </div>
      <div class="links">
        <a href="/sign-up">Register again</a>
        <a href="/sign-in">Sign in</a>
      </div>
    </>
  );
};
export default CompleteSignUp;
