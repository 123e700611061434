import { useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso/router';
import { post } from '../api.ts';
import { Button } from '../components/button.tsx';
import { EmailField } from '../components/email-field.tsx';
import { Form } from '../components/form.tsx';
import { Notice } from '../components/notice.tsx';
import { PageHead } from '../components/page-head.tsx';
import { PasswordField } from '../components/password-field.tsx';
import { leaveTo, useHumanCheck } from '../human-check.tsx';
import { useSession } from '../session.tsx';
import { useCall } from '../use-call.ts';

/** Only paths of this portal: any other address would make sign-in an open redirect. */
const safeNext = (next: string | undefined): string => (next && /^\/(?![/\\])/.test(next) ? next : '/overview');

const messages = {
  INVALID_EMAIL_OR_PASSWORD: 'The email address or password is wrong.',
};

/** What brought the visitor here. */
const Arrival = ({ query }: { query: Readonly<Record<string, string>> }) => (
  <>
    {query['reset'] === 'done' && <Notice tone="good">Your password was changed. Sign in with the new one.</Notice>}
    {query['deleted'] === 'done' && <Notice tone="good">Your account was deleted.</Notice>}
    {query['error'] && <Notice tone="bad">The link is no longer valid. Sign in to get a new one.</Notice>}
  </>
);

const SignIn = () => {
  const { query } = useRoute();
  const { route: navigate } = useLocation();
  const { refresh } = useSession();
  const { busy, problem, run } = useCall(messages);
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const human = useHumanCheck();
  const submit = async (): Promise<void> => {
    const answer = await run(post('/auth/sign-in/email', { email, password }, human.headers));
    human.again();
    if (!answer.ok) return;
    const next = safeNext(query['next']);
    await refresh();
    leaveTo(next, human.field !== null, navigate);
  };
  return (
    <>
      <PageHead title="Sign in" />
      <Arrival query={query} />
      <Form onSubmit={submit} problem={problem}>
        <EmailField value={email} onInput={setEmail} />
        <PasswordField value={password} onInput={setPassword} />
        {human.field}
        <Button type="submit" kind="primary" class="wide" busy={busy} disabled={!human.passed}>
          Sign in
        </Button>
      </Form>
      <div class="links">
        <a href="/forgot-password">Forgot your password?</a>
        <span>
          New here? <a href="/sign-up">Register</a>
        </span>
      </div>
    </>
  );
};
export default SignIn;
