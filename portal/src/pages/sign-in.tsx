import { useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso/router';
import { post } from '../api.ts';
import { Button } from '../components/button.tsx';
import { CodeField } from '../components/code-field.tsx';
import { EmailField } from '../components/email-field.tsx';
import { Form } from '../components/form.tsx';
import { Notice } from '../components/notice.tsx';
import { PageHead } from '../components/page-head.tsx';
import { PasswordField } from '../components/password-field.tsx';
import { leaveTo, useHumanCheck } from '../human-check.tsx';
import { safeNext } from '../next.ts';
import { passkeysWork, signInWithPasskey } from '../passkeys.ts';
import { useSession } from '../session.tsx';
import { useCall } from '../use-call.ts';

const messages = {
  INVALID_EMAIL_OR_PASSWORD: 'The email address or password is wrong.',
  INVALID_CODE: 'The code is wrong, or too old.',
  INVALID_BACKUP_CODE: 'The recovery code is wrong, or was used before.',
  INVALID_TWO_FACTOR_COOKIE: 'This took too long. Reload the page and sign in again.',
};

/** What brought the visitor here. */
const Arrival = ({ query, isOver }: { query: Readonly<Record<string, string>>; isOver: boolean }) => (
  <>
    {isOver && <Notice>Your session has ended. Sign in to go on where you were.</Notice>}
    {query['deleted'] === 'done' && <Notice tone="good">Your account was deleted.</Notice>}
    {query['error'] && <Notice tone="bad">The link is no longer valid. Sign in to get a new one.</Notice>}
  </>
);

/** What follows a right password where a second factor is on. */
const CodeForm = ({ onDone }: { onDone: () => Promise<void> }) => {
  const { busy, problem, run } = useCall(messages);
  const [code, setCode] = useState('');
  const [recovery, setRecovery] = useState(false);
  const submit = async (): Promise<void> => {
    const path = recovery ? 'verify-backup-code' : 'verify-totp';
    if ((await run(post(`/auth/two-factor/${path}`, { code }))).ok) await onDone();
  };
  return (
    <>
      <PageHead title="Enter your code" />
      <Form onSubmit={submit} problem={problem}>
        <CodeField
          label={recovery ? 'Recovery code' : 'Code of your authenticator app'}
          value={code}
          onInput={setCode}
        />
        <Button type="submit" kind="primary" class="wide" busy={busy}>
          Sign in
        </Button>
      </Form>
      <div class="links">
        <button type="button" class="link-button" onClick={() => setRecovery(!recovery)}>
          {recovery ? 'Use the authenticator app' : 'Use a recovery code'}
        </button>
      </div>
    </>
  );
};

/** `onPassword`: told whether a second factor is still to come. */
const PasswordForm = ({ onPassword, onDone }: { onPassword: () => void; onDone: () => Promise<void> }) => {
  const { query } = useRoute();
  const { isOver } = useSession();
  const { busy, problem, run } = useCall(messages);
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const human = useHumanCheck();
  const submit = async (): Promise<void> => {
    const body = { email, password };
    const answer = await run(post<{ twoFactorRedirect?: boolean }>('/auth/sign-in/email', body, human.headers));
    human.again();
    if (!answer.ok) return;
    if (answer.value.twoFactorRedirect) onPassword();
    else await onDone();
  };
  const usePasskey = async (): Promise<void> => {
    if ((await run(signInWithPasskey())).ok) await onDone();
  };
  return (
    <>
      <PageHead title="Sign in" />
      <Arrival query={query} isOver={isOver} />
      <Form onSubmit={submit} problem={problem}>
        <EmailField value={email} onInput={setEmail} />
        <PasswordField value={password} onInput={setPassword} />
        {human.field}
        <Button type="submit" kind="primary" class="wide" busy={busy} disabled={!human.passed}>
          Sign in
        </Button>
        {passkeysWork() && (
          <Button class="wide" disabled={busy} onClick={() => void usePasskey()}>
            Use a passkey
          </Button>
        )}
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

const SignIn = () => {
  const { query } = useRoute();
  const { route: navigate } = useLocation();
  const { config, refresh } = useSession();
  const [needsCode, setNeedsCode] = useState(false);
  const done = async (): Promise<void> => {
    const next = safeNext(query['next']);
    await refresh();
    leaveTo(next, config?.turnstile_site_key != null, navigate);
  };
  return needsCode ? <CodeForm onDone={done} /> : <PasswordForm onPassword={() => setNeedsCode(true)} onDone={done} />;
};
export default SignIn;
