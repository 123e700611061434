/** At which balance the owner is told by mail. */
import { useState } from 'preact/hooks';
import { limits } from '../../../../shared/limits.ts';
import type { BalanceAlert } from '../../../../shared/portal-api.ts';
import { post } from '../../api.ts';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { Field } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { dateText, plural } from '../../format.ts';
import { useMe } from '../../session.tsx';
import { useCall } from '../../use-call.ts';
import { useQuery } from '../../use-query.ts';

const stateOf = ({ level, last }: BalanceAlert, balance: number): string => {
  if (level === null) return 'Off: no mail is sent.';
  const said = last ? ` The last one: ${dateText(last.at)}, at ${plural(last.balance, 'credit')}.` : '';
  return balance > level
    ? `On: a mail comes when the balance falls to ${plural(level, 'credit')}.${said}`
    : `On: the balance is at or below ${plural(level, 'credit')}; the next mail comes after it has been above.${said}`;
};

export const AlertCard = () => {
  const { account } = useMe();
  const { busy, problem, run } = useCall();
  const query = useQuery<BalanceAlert>('/balance-alert');
  const [typed, setTyped] = useState<string>();
  const set = async (level: number | null): Promise<void> => {
    const { ok } = await run(post('/balance-alert', { level }));
    if (!ok) return;
    setTyped(undefined);
    query.reload();
  };
  const { level = null } = query.value ?? {};
  const value = typed ?? (level === null ? '' : String(level));
  return (
    <Card title="Low balance" lead="A mail to owners and billing members, once each time the balance falls to a level.">
      <Form class="half" onSubmit={() => set(Number(value))} problem={problem ?? query.problem}>
        <Field
          label="Level in credits"
          type="number"
          min={1}
          max={limits.balanceAlert.levelMax}
          required
          value={value}
          onInput={(event) => setTyped(event.currentTarget.value)}
          hint="Credits that running images hold count as not used yet."
        />
        <div class="row">
          <Button type="submit" busy={busy} disabled={query.value === undefined}>
            {level === null ? 'Switch on' : 'Change level'}
          </Button>
          {level !== null && (
            <Button kind="quiet" busy={busy} onClick={() => void set(null)}>
              Switch off
            </Button>
          )}
        </div>
        <p class="alert-state small muted">
          {query.value ? stateOf(query.value, account.available + account.held) : 'Loading…'}
        </p>
      </Form>
    </Card>
  );
};
