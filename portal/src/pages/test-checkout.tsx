/** Local mode's stand-in for Stripe's page. */
import { useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso/router';
import type { PortalProblem, TestCheckoutInfo } from '../../../shared/portal-api.ts';
import { post } from '../api.ts';
import { Button } from '../components/button.tsx';
import { Notice } from '../components/notice.tsx';
import { PageHead } from '../components/page-head.tsx';
import { Problem } from '../components/problem.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { count } from '../format.ts';
import { useSession } from '../session.tsx';
import { useQuery } from '../use-query.ts';

const TestCheckout = () => {
  const { query } = useRoute();
  const { route: navigate } = useLocation();
  const { refresh } = useSession();
  const id = query['id'] ?? '';
  const { value, problem } = useQuery<TestCheckoutInfo>(`/local/checkouts/${encodeURIComponent(id)}`);
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<PortalProblem>();
  const pay = async (): Promise<void> => {
    setBusy(true);
    const answer = await post(`/local/checkouts/${encodeURIComponent(id)}/pay`);
    if (!answer.ok) {
      setBusy(false);
      return setRefused(answer.problem);
    }
    await refresh();
    navigate('/billing?checkout=done', true);
  };
  return (
    <>
      <PageHead title="Test checkout" />
      <Notice tone="warn">
        <strong>This is not a payment.</strong> Local mode has no Stripe key: no card is needed and no money moves.
        Paying sends the same signed event that Stripe would send.
      </Notice>
      <Problem problem={problem ?? refused} />
      {!value && !problem && <Skeleton height={7} />}
      {value && (
        <>
          <dl class="facts card card-body">
            <dt>Item</dt>
            <dd>API pack, {count(value.credits)} credits</dd>
            <dt>For</dt>
            <dd>{value.email}</dd>
            <dt>Amount</dt>
            <dd>
              <strong>{value.amount_usd}</strong> (test)
            </dd>
          </dl>
          <div class="row">
            <Button kind="primary" busy={busy} onClick={() => void pay()}>
              Pay {value.amount_usd} (test)
            </Button>
            <a class="button" href="/billing?checkout=cancelled">
              Cancel
            </a>
          </div>
        </>
      )}
    </>
  );
};
export default TestCheckout;
