/** Local mode's stand-in for Stripe's pages: paying a pack, and saving a card. */
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

const CARDS = [
  ['works', 'Save a card that works'],
  ['declined', 'Save a card that is declined'],
] as const;

const TestCheckout = () => {
  const { query } = useRoute();
  const { route: navigate } = useLocation();
  const { refresh } = useSession();
  const id = query['id'] ?? '';
  const { value, problem } = useQuery<TestCheckoutInfo>(`/local/checkouts/${encodeURIComponent(id)}`);
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<PortalProblem>();
  const send = async (what: string, body: object, then: string): Promise<void> => {
    setBusy(true);
    const answer = await post(`/local/checkouts/${encodeURIComponent(id)}/${what}`, body);
    if (!answer.ok) {
      setBusy(false);
      return setRefused(answer.problem);
    }
    await refresh();
    navigate(then, true);
  };
  return (
    <>
      <PageHead title="Test checkout" />
      <Notice tone="warn">
        <strong>This is not a payment.</strong> Local mode has no Stripe key: no card is needed and no money moves. What
        you do here sends the same signed event that Stripe would send.
      </Notice>
      <Problem problem={problem ?? refused} />
      {!value && !problem && <Skeleton height={7} />}
      {value?.purpose === 'payment' && (
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
            <Button kind="primary" busy={busy} onClick={() => void send('pay', {}, '/billing?checkout=done')}>
              Pay {value.amount_usd} (test)
            </Button>
            <a class="button" href="/billing?checkout=cancelled">
              Cancel
            </a>
          </div>
        </>
      )}
      {value?.purpose === 'card' && (
        <>
          <dl class="facts card card-body">
            <dt>Card to save</dt>
            <dd>A test card for automatic top-up</dd>
            <dt>For</dt>
            <dd>{value.email}</dd>
          </dl>
          <div class="row">
            {CARDS.map(([card, name], i) => (
              <Button
                key={card}
                kind={i === 0 ? 'primary' : ''}
                disabled={busy}
                onClick={() => void send('save-card', { card }, '/billing?card=saved')}
              >
                {name}
              </Button>
            ))}
            <a class="button" href="/billing?card=cancelled">
              Cancel
            </a>
          </div>
        </>
      )}
    </>
  );
};
export default TestCheckout;
