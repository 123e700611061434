import { useState } from 'preact/hooks';
import { post } from '../api.ts';
import { Button } from '../components/button.tsx';
import { EmailField } from '../components/email-field.tsx';
import { Form } from '../components/form.tsx';
import { Notice } from '../components/notice.tsx';
import { PageHead } from '../components/page-head.tsx';
import { useHumanCheck } from '../human-check.tsx';
import { useSession } from '../session.tsx';
import { useCall } from '../use-call.ts';

const ForgotPassword = () => {
  const { config } = useSession();
  const [email, setEmail] = useState('');
  const [done, setDone] = useState(false);
  const { busy, problem, run } = useCall();
  const human = useHumanCheck();
  const submit = async (): Promise<void> => {
    setDone((await run(post('/auth/request-password-reset', { email }, human.headers))).ok);
    human.again();
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
        <Form onSubmit={submit} problem={problem}>
          <EmailField value={email} onInput={setEmail} />
          {human.field}
          <Button type="submit" kind="primary" class="wide" busy={busy} disabled={!human.passed}>
            Send the link
          </Button>
        </Form>
      )}
      <div class="links">
        <a href="/sign-in">Back to sign in</a>
      </div>
    </>
  );
};
export default ForgotPassword;
