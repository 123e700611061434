/** Registering begins with the mail address alone; the rest follows with the link in the mail. */
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

const CheckMail = ({ email, onBack }: { email: string; onBack: () => void }) => {
  const { config } = useSession();
  return (
    <>
      <PageHead
        title="Check your email"
        lead={
          <>
            We sent a link to <strong>{email}</strong>. Open it to confirm your address and choose a password.
          </>
        }
      />
      {config?.mail === 'outbox' && (
        <Notice tone="warn">
          Local mode sends no email. Read it in the <a href="/outbox">outbox</a>.
        </Notice>
      )}
      <div class="row">
        <Button onClick={onBack}>Send it again</Button>
        <a class="button quiet" href="/sign-in">
          Back to sign in
        </a>
      </div>
    </>
  );
};

const SignUp = () => {
  const { busy, problem, run } = useCall();
  const human = useHumanCheck();
  const [email, setEmail] = useState('');
  const [sent, setSent] = useState(false);
  const submit = async (): Promise<void> => {
    setSent((await run(post('/sign-up', { email }, human.headers))).ok);
    human.again();
  };
  if (sent) return <CheckMail email={email} onBack={() => setSent(false)} />;
  return (
    <>
      <PageHead
        title="Create your account"
        lead="Your first image is a few minutes away, free with the test key that you get. You buy a pack when you like it."
      />
      <Form onSubmit={submit} problem={problem}>
        <EmailField value={email} onInput={setEmail} />
        {human.field}
        <Button type="submit" kind="primary" class="wide" busy={busy} disabled={!human.passed}>
          Continue
        </Button>
      </Form>
      <p class="small muted">
        By creating an account you agree to the <a href="/terms">terms of service</a>. The{' '}
        <a href="/privacy">privacy page</a> says what is stored.
      </p>
      <div class="links">
        <span>
          Already registered? <a href="/sign-in">Sign in</a>
        </span>
      </div>
    </>
  );
};
export default SignUp;
