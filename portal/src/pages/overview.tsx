/** Balance, use over time, the ledger; on an empty account, the steps to the first image. */

import { useEffect, useState } from 'preact/hooks';
import type { KeyRow, LedgerPage, Usage } from '../../../shared/portal-api.ts';
import { count, dollars, plural } from '../format.ts';
import { useLocation } from '../router.tsx';
import { useMe, useSession } from '../session.tsx';
import { Icon } from '../ui/icons.tsx';
import { Card, Empty, Notice, PageHead, Problem, Skeleton } from '../ui/kit.tsx';
import { useQuery } from '../use-query.ts';
import { ExportLedger, LedgerTable } from './parts/ledger-table.tsx';
import { UsageChart } from './parts/usage-chart.tsx';

const Stats = () => {
  const { account } = useMe();
  const facts = [
    { name: 'Balance', value: dollars(account.available), more: plural(account.available, 'credit') },
    { name: 'Held', value: dollars(account.held), more: `${plural(account.held, 'image')} being processed` },
    { name: 'Used', value: dollars(account.spent), more: `${plural(account.spent, 'image')} delivered` },
    { name: 'Bought', value: dollars(account.granted), more: plural(account.granted, 'credit') },
  ];
  return (
    <dl class="card stats">
      {facts.map(({ name, value, more }) => (
        <div class="stat" key={name}>
          <dt>{name}</dt>
          <dd>
            {value}
            <small>{more}</small>
          </dd>
        </div>
      ))}
    </dl>
  );
};

const Steps = ({ bought, keyed }: { bought: boolean; keyed: boolean }) => {
  const steps = [
    { done: true, title: 'Register', text: 'Your account is open.', href: '', action: '' },
    {
      done: bought,
      title: 'Buy the API pack',
      text: '1,000 credits for $250.00. Credits do not expire.',
      href: '/billing',
      action: 'Buy the pack',
    },
    {
      done: keyed,
      title: 'Generate a secret key',
      text: 'Test keys are free and mark their results.',
      href: '/keys',
      action: 'Make a key',
    },
    {
      done: false,
      title: 'Send the first photo',
      text: 'From the playground, or with the curl line of the quick start.',
      href: '/playground',
      action: 'Open playground',
    },
  ];
  const current = steps.findIndex((step) => !step.done);
  return (
    <Card title="Get started">
      <ol class="steps">
        {steps.map((step, i) => (
          <li key={step.title} class={step.done ? 'done' : i === current ? 'current' : ''}>
            <span class="step-mark" aria-hidden="true">
              {step.done ? <Icon name="check" size={13} /> : i + 1}
            </span>
            <div class="grow">
              <strong>
                {step.title}
                {step.done && <span class="visually-hidden"> (done)</span>}
              </strong>
              <p class="muted small">{step.text}</p>
            </div>
            {!step.done && step.href && (
              <a class={`button compact ${i === current ? 'primary' : ''}`} href={step.href}>
                {step.action}
              </a>
            )}
          </li>
        ))}
      </ol>
    </Card>
  );
};

const ranges = [7, 30, 90] as const;

const UsageCard = () => {
  const [days, setDays] = useState<number>(30);
  const { value, problem, reload } = useQuery<Usage>(`/usage?days=${days}`);
  return (
    <Card
      title="Usage"
      lead="Images per day, UTC."
      flush
      action={
        <div class="tabs" role="group" aria-label="Range">
          {ranges.map((n) => (
            <button key={n} type="button" class="tab" aria-pressed={n === days} onClick={() => setDays(n)}>
              {n} days
            </button>
          ))}
        </div>
      }
    >
      <div class="card-body usage-body">
        <Problem problem={problem} retry={reload} />
        {value ? <UsageChart usage={value} /> : !problem && <Skeleton height={17.5} />}
      </div>
    </Card>
  );
};

const LedgerCard = () => {
  const { value, problem, reload } = useQuery<LedgerPage>('/ledger?max=8');
  return (
    <Card
      title="Ledger"
      lead="Every movement of credits, newest first. The sums of the export equal the balance."
      flush
      action={<ExportLedger />}
    >
      <Problem problem={problem} retry={reload} />
      {!value && !problem && (
        <div class="card-body">
          <Skeleton height={12} />
        </div>
      )}
      {value && value.rows.length === 0 && (
        <Empty icon="billing" title="No movements yet">
          Bought credits and processed images appear here, each with the balance after it.
        </Empty>
      )}
      {value && value.rows.length > 0 && <LedgerTable rows={value.rows} />}
      {value?.next_cursor && (
        <div class="card-foot">
          <a href="/billing#ledger">All movements</a>
        </div>
      )}
    </Card>
  );
};

const Overview = () => {
  const { me, refresh } = useSession();
  const { query } = useLocation();
  const keys = useQuery<{ keys: readonly KeyRow[] }>('/keys');
  useEffect(() => void refresh(), []);
  const account = me!.account;
  const keyed = Boolean(keys.value?.keys.some((key) => !key.revoked_at));
  const fresh = account.spent === 0;
  return (
    <>
      <PageHead
        title="Overview"
        lead={query.get('welcome') ? `Welcome, ${me!.user.name}. Your address is confirmed.` : undefined}
      />
      <div class="stack">
        {account.available < 0 && (
          <Notice tone="bad">
            The balance is below zero ({dollars(account.available)}): a refund or dispute took back credits that were
            already used. New requests are refused until it is settled. <a href="/billing">Open billing</a>
          </Notice>
        )}
        <Stats />
        {fresh && (keys.value ? <Steps bought={account.granted > 0} keyed={keyed} /> : <Skeleton height={20} />)}
        <UsageCard />
        <LedgerCard />
        <p
          class="visually-hidden"
          aria-live="polite"
        >{`Balance ${dollars(account.available)}, ${count(account.available)} credits`}</p>
      </div>
    </>
  );
};
export default Overview;
