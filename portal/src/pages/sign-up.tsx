import { useState } from 'preact/hooks';
import { limits } from '../../../shared/limits.ts';
import { post } from '../api.ts';
import { Button } from '../components/button.tsx';
import { EmailField } from '../components/email-field.tsx';
import { Field } from '../components/field.tsx';
import { Form } from '../components/form.tsx';
import { NewPasswordField } from '../components/new-password-field.tsx';
import { Notice } from '../components/notice.tsx';
import { PageHead } from '../components/page-head.tsx';
import { useSession } from '../session.tsx';
import { useCall } from '../use-call.ts';

const { nameCharsMax, passwordCharsMin } = limits.portal;
const callbackURL = '/overview?welcome=1';

const CheckMail = ({ email }: { email: string }) => {
  const { config } = useSession();
  const [sent, setSent] = useState(false);
  const again = async (): Promise<void> => {
    await post('/auth/send-verification-email', { email, callbackURL });
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

const passwordHint = ({ length }: string): string =>
  length > 0 && length < passwordCharsMin
    ? `${passwordCharsMin - length} more characters to go.`
    : `At least ${passwordCharsMin} characters. A few random words work well.`;

const SignUpForm = ({ onDone }: { onDone: (email: string) => void }) => {
  const { busy, problem, run } = useCall();
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const submit = async (): Promise<void> => {
    const answer = await run(post('/auth/sign-up/email', { name, email, password, callbackURL }));
    if (answer.ok) onDone(email);
  };
  return (
    <Form onSubmit={submit} problem={problem}>
      <Field
        label="Name"
        name="name"
        autoComplete="name"
        required
        maxLength={nameCharsMax}
        value={name}
        onInput={(e) => setName(e.currentTarget.value)}
      />
      <EmailField value={email} onInput={setEmail} />
      <NewPasswordField
        label="Password"
        name="password"
        value={password}
        onInput={setPassword}
        hint={passwordHint(password)}
      />
      <Button type="submit" kind="primary" class="wide" busy={busy}>
        Create account
      </Button>
    </Form>
  );
};

const SignUp = () => {
  const [sentTo, setSentTo] = useState<string>();
  if (sentTo !== undefined) return <CheckMail email={sentTo} />;
  return (
    <>
      <PageHead
        title="Create your account"
        lead="Register, buy the pack, create a key: your first image is a few minutes away."
      />
      <SignUpForm onDone={setSentTo} />
      <div class="links">
        <span>
          Already registered? <a href="/sign-in">Sign in</a>
        </span>
      </div>
    </>
  );
};
export default SignUp;
