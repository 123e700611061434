import { useState } from 'preact/hooks';
import { limits } from '../../../shared/limits.ts';
import { post } from '../api.ts';
import { Button } from '../components/button.tsx';
import { Field } from '../components/field.tsx';
import { NewPasswordField } from '../components/new-password-field.tsx';
import { Notice } from '../components/notice.tsx';
import { PageHead } from '../components/page-head.tsx';
import { useSession } from '../session.tsx';

const CheckMail = ({ email }: { email: string }) => {
  const { config } = useSession();
  const [sent, setSent] = useState(false);
  const again = async (): Promise<void> => {
    await post('/auth/send-verification-email', { email, callbackURL: '/overview?welcome=1' });
    setSent(true);
  };
  return (
    <>
      <PageHead
        title="Check your email"
        lead={
          <>
            We sent a link to <strong>{email}</strong>. Open it to confirm your address and sign in.
          </>
        }
      />
      {config?.mail === 'outbox' && (
        <Notice tone="warn">
          Local mode sends no email. Read it in the <a href="/outbox">outbox</a>.
        </Notice>
      )}
      <div class="row">
        <Button onClick={() => void again()} disabled={sent}>
          {sent ? 'Sent again' : 'Send it again'}
        </Button>
        <a class="button quiet" href="/sign-in">
          Back to sign in
        </a>
      </div>
    </>
  );
};

const SignUp = () => {
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [done, setDone] = useState(false);
  const short = password.length > 0 && password.length < limits.portal.passwordCharsMin;
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    const answer = await post('/auth/sign-up/email', { name, email, password, callbackURL: '/overview?welcome=1' });
    setBusy(false);
    if (answer.ok) setDone(true);
    else setProblem(answer.problem.detail);
  };
  if (done) return <CheckMail email={email} />;
  return (
    <>
      <PageHead
        title="Create your account"
        lead="Register, buy the pack, create a key: your first image is a few minutes away."
      />
      <form class="form" onSubmit={submit}>
        {problem && <Notice tone="bad">{problem}</Notice>}
        <Field
          label="Name"
          name="name"
          autoComplete="name"
          required
          maxLength={limits.portal.nameCharsMax}
          value={name}
          onInput={(e) => setName(e.currentTarget.value)}
        />
        <Field
          label="Email address"
          type="email"
          name="email"
          autoComplete="username"
          required
          value={email}
          onInput={(e) => setEmail(e.currentTarget.value)}
        />
        <NewPasswordField
          label="Password"
          name="password"
          value={password}
          onInput={setPassword}
          hint={
            short
              ? `${limits.portal.passwordCharsMin - password.length} more characters to go.`
              : `At least ${limits.portal.passwordCharsMin} characters. A few random words work well.`
          }
        />
        <Button type="submit" kind="primary" class="wide" busy={busy}>
          Create account
        </Button>
      </form>
      <div class="links">
        <span>
          Already registered? <a href="/sign-in">Sign in</a>
        </span>
      </div>
    </>
  );
};
export default SignUp;
