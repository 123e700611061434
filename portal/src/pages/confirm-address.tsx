/** Where the link in the mail to a new address leads. A click confirms it: mail scanners open links by themselves. */
import { useState } from 'preact/hooks';
import { useRoute } from 'preact-iso/router';
import { post } from '../api.ts';
import { Button } from '../components/button.tsx';
import { Form } from '../components/form.tsx';
import { Notice } from '../components/notice.tsx';
import { PageHead } from '../components/page-head.tsx';
import { useSession } from '../session.tsx';
import { useCall } from '../use-call.ts';

const ConfirmAddress = () => {
  const token = useRoute().query['token'] ?? '';
  const { me, refresh } = useSession();
  const { busy, problem, run } = useCall();
  const [email, setEmail] = useState<string>();
  const submit = async (): Promise<void> => {
    const answer = await run(post<{ email: string }>('/address/confirm', { token }));
    if (!answer.ok) return;
    setEmail(answer.value.email);
    await refresh();
  };
  return (
    <>
      <PageHead title="Confirm your new address" />
      {email === undefined ? (
        <Form onSubmit={submit} problem={problem}>
          <Button type="submit" kind="primary" class="wide" busy={busy}>
            Use this address
          </Button>
        </Form>
      ) : (
        <Notice tone="good">From now on you sign in with {email}.</Notice>
      )}
      <div class="links">
        <a href={me ? '/settings' : '/sign-in'}>{me ? 'Back to settings' : 'Sign in'}</a>
      </div>
    </>
  );
};
export default ConfirmAddress;
