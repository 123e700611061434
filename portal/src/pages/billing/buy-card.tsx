import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { PACK } from '../../../../shared/credits.ts';
import type { PortalProblem } from '../../../../shared/portal-api.ts';
import { post } from '../../api.ts';
import { Button } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import { Problem } from '../../components/problem.tsx';
import { count, dollars } from '../../format.ts';
import { useMe, useSession } from '../../session.tsx';
import { PackChoice } from './pack-choice.tsx';

const promises = [
  'One credit per delivered image, $0.25',
  'Nothing is charged for an image that fails',
  'Credits do not expire',
];

const Balance = () => {
  const { account } = useMe();
  const facts = [
    ['Balance', dollars(account.available)],
    ['Credits', count(account.available)],
    ['Held', count(account.held)],
  ];
  return (
    <dl class="pack-now">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class="num">{value}</dd>
        </div>
      ))}
    </dl>
  );
};

/** `onLeave`: before the page is left for the checkout. */
export const BuyCard = ({ onLeave }: { onLeave: () => void }) => {
  const { route: navigate } = useLocation();
  const { config } = useSession();
  const test = config?.checkout === 'test';
  const [credits, setCredits] = useState<number>(PACK.credits);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<PortalProblem>();
  const buy = async (): Promise<void> => {
    setBusy(true);
    // One attempt per click: a repeated delivery of the same click opens the same checkout.
    const answer = await post<{ url: string }>('/checkout', { attempt_id: crypto.randomUUID(), credits });
    if (!answer.ok) {
      setBusy(false);
      return setProblem(answer.problem);
    }
    onLeave();
    if (answer.value.url.startsWith('/')) navigate(answer.value.url);
    else location.assign(answer.value.url);
  };
  return (
    <section class="card pack">
      <div class="pack-what">
        <h2>API pack</h2>
        <p class="pack-price">
          <strong class="num">{dollars(credits)}</strong> <span class="muted">{count(credits)} credits</span>
        </p>
        <PackChoice chosen={credits} choose={setCredits} />
        <ul class="ticks">
          {promises.map((text) => (
            <li key={text}>
              <Icon name="check" size={14} /> {text}
            </li>
          ))}
        </ul>
        <Problem problem={problem} />
        <Button kind="primary" busy={busy} onClick={() => void buy()}>
          {test ? 'Buy with test checkout' : 'Buy the pack'}
        </Button>
        <p class="small muted">
          {test
            ? 'Local mode: this is a test checkout, no money moves.'
            : `Paid by card through Stripe Checkout, with an invoice. ${config?.automatic_tax ? 'Tax is added where it is due. ' : ''}Credits are added as soon as Stripe confirms.`}
        </p>
      </div>
      <Balance />
    </section>
  );
};
