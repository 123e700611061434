/** The terms of automatic top-up, and the owner's consent to charges without being asked again. */
import { useId, useState } from 'preact/hooks';
import { PACKS, packOf } from '../../../../shared/credits.ts';
import { limits } from '../../../../shared/limits.ts';
import type { AutomaticTopUp } from '../../../../shared/portal-api.ts';
import { post } from '../../api.ts';
import { Button } from '../../components/button.tsx';
import { Field } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { count, dollars, plural } from '../../format.ts';
import { useSession } from '../../session.tsx';
import { useCall } from '../../use-call.ts';

const { levelMax, monthlyLimitUsdMax } = limits.topUp;
const FIRST = { level: 50, credits: 200, limitUsd: 200 };
const CENTS = 100;

const PackField = ({ credits, choose }: { credits: number; choose: (credits: number) => void }) => {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>Pack to buy</label>
      <select id={id} class="input" value={credits} onChange={(e) => choose(Number(e.currentTarget.value))}>
        {PACKS.map((pack) => (
          <option key={pack.credits} value={pack.credits}>
            {count(pack.credits)} credits, {dollars(pack.credits)}
          </option>
        ))}
      </select>
    </div>
  );
};

export const TopUpForm = ({ topUp, onChange }: { topUp: AutomaticTopUp; onChange: () => void }) => {
  const { config } = useSession();
  const { busy, problem, run } = useCall();
  const [level, setLevel] = useState(String(topUp.level ?? FIRST.level));
  const [credits, setCredits] = useState<number>(topUp.credits ?? FIRST.credits);
  const [limit, setLimit] = useState(String(topUp.monthly_limit_usd ?? FIRST.limitUsd));
  const [agreed, setAgreed] = useState(false);
  const priceUsd = (packOf(credits)?.usdCents ?? 0) / CENTS;
  const send = async (body: object): Promise<void> => {
    const answer = await run(post('/top-up', body));
    // Another card than the one shown: it is to be seen before it is agreed to.
    if (!answer.ok && answer.problem.code !== 'card_changed') return;
    setAgreed(false);
    onChange();
  };
  const terms = () => ({
    level: Number(level),
    credits,
    monthly_limit_usd: Number(limit),
    card_id: topUp.card?.id,
    accepts_terms: agreed,
  });
  const goesOn = topUp.enabled && !topUp.pause;
  return (
    <Form onSubmit={() => send({ enabled: true, ...terms() })} problem={problem}>
      <div class="topup-terms">
        <Field
          label="When available credits are at or below"
          type="number"
          min={0}
          max={levelMax}
          required
          value={level}
          onInput={(event) => setLevel(event.currentTarget.value)}
        />
        <PackField credits={credits} choose={setCredits} />
        <Field
          label="Monthly limit in dollars"
          type="number"
          min={priceUsd}
          max={monthlyLimitUsdMax}
          required
          value={limit}
          onInput={(event) => setLimit(event.currentTarget.value)}
          hint={
            topUp.monthly_limit_usd === null
              ? 'By UTC month, before tax.'
              : `${topUp.month_usd} of $${count(topUp.monthly_limit_usd)}.00 used this month (UTC), before tax.`
          }
        />
      </div>
      <label class="checkbox topup-consent">
        <input type="checkbox" required checked={agreed} onChange={(e) => setAgreed(e.currentTarget.checked)} />
        <span>
          I allow this card to be charged {dollars(credits)}
          {config?.automatic_tax ? ', and tax where it is due,' : ''} without asking me again, each time my available
          credits are at or below {plural(Number(level) || 0, 'credit')}, and at most ${count(Number(limit) || 0)} in a
          month{config?.automatic_tax ? ', before tax' : ''}. They may be that low now: then it is charged at once. A
          card that replaces it is charged in its place. I can switch this off or remove the card here at any time;
          credits already bought stay.
        </span>
      </label>
      <div class="row">
        <Button type="submit" busy={busy}>
          {goesOn ? 'Change terms' : 'Switch on top-up'}
        </Button>
        {topUp.enabled && (
          <Button kind="quiet" busy={busy} onClick={() => void send({ enabled: false })}>
            Switch off top-up
          </Button>
        )}
      </div>
    </Form>
  );
};
