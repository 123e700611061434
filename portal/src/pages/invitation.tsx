/** Where the link of an invitation leads: accepted by a click, after signing in or registering with its address. */
import { useEffect, useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso/router';
import type { InvitationLink } from '../../../shared/portal-api.ts';
import { type Answer, post } from '../api.ts';
import { Button } from '../components/button.tsx';
import { Form } from '../components/form.tsx';
import { NewUserFields } from '../components/new-user-fields.tsx';
import { roleTexts } from '../components/not-allowed.tsx';
import { Notice } from '../components/notice.tsx';
import { PageHead } from '../components/page-head.tsx';
import { Problem } from '../components/problem.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { forgetKeys } from '../held-keys.ts';
import { useSession } from '../session.tsx';
import { useCall } from '../use-call.ts';

type Props = { token: string; link: InvitationLink };

/** The account is another one from now on. */
const useArrival = () => {
  const { refresh } = useSession();
  const { route: navigate } = useLocation();
  return async (): Promise<void> => {
    forgetKeys();
    await refresh();
    navigate('/overview', true);
  };
};

const Accept = ({ token }: Props) => {
  const { busy, problem, run } = useCall();
  const arrive = useArrival();
  const accept = async (): Promise<void> => {
    if ((await run(post('/invitations/accept', { token }))).ok) await arrive();
  };
  return (
    <Form onSubmit={accept} problem={problem}>
      <Button type="submit" kind="primary" class="wide" busy={busy}>
        Accept invitation
      </Button>
    </Form>
  );
};

const OtherAddress = ({ link, email }: { link: InvitationLink; email: string }) => {
  const { signOut } = useSession();
  return (
    <>
      <Notice tone="warn">
        You are signed in as {email}, but this invitation is for {link.email}. Sign out, then open the link again.
      </Notice>
      <Button onClick={() => void signOut()}>Sign out</Button>
    </>
  );
};

const SignUp = ({ token }: Props) => {
  const { busy, problem, run } = useCall();
  const arrive = useArrival();
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const submit = async (): Promise<void> => {
    if ((await run(post('/invitations/sign-up', { token, name, password }))).ok) await arrive();
  };
  return (
    <Form onSubmit={submit} problem={problem}>
      <NewUserFields name={name} onName={setName} password={password} onPassword={setPassword} />
      <Button type="submit" kind="primary" class="wide" busy={busy}>
        Register and accept
      </Button>
    </Form>
  );
};

/** Both ways are shown to everybody: the page does not know whether the address has a user. */
const SignedOut = (props: Props) => {
  const [isNew, setNew] = useState(false);
  if (isNew) return <SignUp {...props} />;
  const next = encodeURIComponent(`/invitation?token=${props.token}`);
  return (
    <div class="stack tight">
      <a class="button primary wide" href={`/sign-in?next=${next}`}>
        Sign in to accept
      </a>
      <Button class="wide" onClick={() => setNew(true)}>
        I am new here
      </Button>
    </div>
  );
};

const Invited = ({ token, link }: Props) => {
  const { me } = useSession();
  return (
    <>
      <PageHead
        title="You are invited"
        lead={
          <>
            To the account of <strong>{link.account}</strong>, as <strong>{link.role}</strong>, with the address{' '}
            <strong>{link.email}</strong>.
          </>
        }
      />
      <p class="small muted">{roleTexts[link.role]}</p>
      {me === undefined && <Skeleton height={3} />}
      {me === null && <SignedOut token={token} link={link} />}
      {me && me.user.email !== link.email && <OtherAddress link={link} email={me.user.email} />}
      {me && me.user.email === link.email && <Accept token={token} link={link} />}
    </>
  );
};

const CHECK_REM = 6;

const Invitation = () => {
  const token = useRoute().query['token'] ?? '';
  const [link, setLink] = useState<Answer<InvitationLink>>();
  useEffect(() => {
    void post<InvitationLink>('/invitations/link', { token }).then(setLink);
  }, [token]);
  if (link?.ok) return <Invited token={token} link={link.value} />;
  return (
    <>
      <PageHead title="Invitation" />
      <div style={{ minHeight: `${CHECK_REM}rem` }}>
        {link ? <Problem problem={link.problem} /> : <Skeleton height={CHECK_REM} />}
      </div>
      <div class="links">
        <a href="/sign-in">Sign in</a>
      </div>
    </>
  );
};
export default Invitation;
