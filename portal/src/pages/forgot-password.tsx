import { useState } from 'preact/hooks';
import { post } from '../api.ts';
import { Button } from '../components/button.tsx';
import { Field } from '../components/field.tsx';
import { Notice } from '../components/notice.tsx';
import { PageHead } from '../components/page-head.tsx';
import { useSession } from '../session.tsx';

const ForgotPassword = () => {
  const { config } = useSession();
  const [email, setEmail] = useState('');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [done, setDone] = useState(false);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    const answer = await post('/auth/request-password-reset', { email });
    setBusy(false);
    if (answer.ok) setDone(true);
    else setProblem(answer.problem.detail);
  };
  return (
    <>
      <PageHead title="Reset your password" lead={done ? undefined : 'We will email you a link to choose a new one.'} />
      {done ? (
        <Notice tone="good">
          If there is an account for {email}, an email is on its way.
          {config?.mail === 'outbox' && (
            <>
              {' '}
              Local mode: see the <a href="/outbox">outbox</a>.
            </>
          )}
        </Notice>
      ) : (
        <form class="form" onSubmit={submit}>
          {problem && <Notice tone="bad">{problem}</Notice>}
          <Field
            label="Email address"
            type="email"
            name="email"
            autoComplete="username"
            required
            value={email}
            onInput={(e) => setEmail(e.currentTarget.value)}
          />
          <Button type="submit" kind="primary" class="wide" busy={busy}>
            Send the link
          </Button>
        </form>
      )}
      <div class="links">
        <a href="/sign-in">Back to sign in</a>
      </div>
    </>
  );
};
export default ForgotPassword;
