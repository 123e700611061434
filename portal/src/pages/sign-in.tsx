import { useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso/router';
import { post } from '../api.ts';
import { Button } from '../components/button.tsx';
import { Field } from '../components/field.tsx';
import { Notice } from '../components/notice.tsx';
import { PageHead } from '../components/page-head.tsx';
import { useSession } from '../session.tsx';

/** Only paths of this portal: any other address would make sign-in an open redirect. */
const safeNext = (next: string | undefined): string => (next && /^\/(?![/\\])/.test(next) ? next : '/overview');

const messages: Record<string, string> = {
  INVALID_EMAIL_OR_PASSWORD: 'The email address or password is wrong.',
  EMAIL_NOT_VERIFIED: 'Confirm your email address first. We sent you a new link.',
};

const SignIn = () => {
  const { query } = useRoute();
  const { route: navigate } = useLocation();
  const { refresh } = useSession();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    const answer = await post('/auth/sign-in/email', { email, password });
    if (!answer.ok && answer.problem.code === 'EMAIL_NOT_VERIFIED')
      await post('/auth/send-verification-email', { email, callbackURL: '/overview?welcome=1' });
    setBusy(false);
    if (!answer.ok) return setProblem(messages[answer.problem.code] ?? answer.problem.detail);
    const next = safeNext(query['next']);
    await refresh();
    navigate(next, true);
  };
  return (
    <>
      <PageHead title="Sign in" />
      {query['reset'] === 'done' && <Notice tone="good">Your password was changed. Sign in with the new one.</Notice>}
      {query['deleted'] === 'done' && <Notice tone="good">Your account was deleted.</Notice>}
      {query['error'] && <Notice tone="bad">The link is no longer valid. Sign in to get a new one.</Notice>}
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
        <Field
          label="Password"
          type="password"
          name="password"
          autoComplete="current-password"
          required
          value={password}
          onInput={(e) => setPassword(e.currentTarget.value)}
        />
        <Button type="submit" kind="primary" class="wide" busy={busy}>
          Sign in
        </Button>
      </form>
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
