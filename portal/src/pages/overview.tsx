/** Balance, use over time, the ledger; on an empty account, the steps to the first image. */

import { useEffect } from 'preact/hooks';
import { useRoute } from 'preact-iso/router';
import type { KeyRow } from '../../../shared/portal-api.ts';
import { Notice } from '../components/notice.tsx';
import { PageHead } from '../components/page-head.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { count, dollars } from '../format.ts';
import { useMay, useMe, useSession } from '../session.tsx';
import { useQuery } from '../use-query.ts';
import { LedgerCard } from './overview/ledger-card.tsx';
import { Stats } from './overview/stats.tsx';
import { Steps } from './overview/steps.tsx';
import { UsageCard } from './overview/usage-card.tsx';
import { useFirstImage } from './overview/use-first-image.ts';

const Overview = () => {
  const { user, account } = useMe();
  const { refresh } = useSession();
  const { query } = useRoute();
  const may = useMay();
  const makesImages = may('keys') && may('images');
  const keys = useQuery<{ keys: readonly KeyRow[] }>(makesImages ? '/keys' : undefined);
  useEffect(() => void refresh(), []);
  const keyed = Boolean(keys.value?.keys.some(({ mode, revoked_at }) => mode === 'live' && !revoked_at));
  const fresh = makesImages && account.spent === 0;
  const first = useFirstImage(fresh);
  return (
    <>
      <PageHead
        title="Overview"
        lead={query['welcome'] ? `Welcome, ${user.name}. Your address is confirmed.` : undefined}
      />
      <div class="stack">
        {account.available < 0 && (
          <Notice tone="bad">
            The balance is below zero ({dollars(account.available)}): a refund or dispute took back credits that were
            already used. New requests are refused until it is settled.{' '}
            {may('billing') && <a href="/billing">Open billing</a>}
          </Notice>
        )}
        <Stats />
        {fresh &&
          (keys.value && first !== null ? (
            <Steps first={first} bought={account.granted > 0} keyed={keyed} mayBuy={may('billing')} />
          ) : (
            <Skeleton height={32} />
          ))}
        <UsageCard />
        {may('billing') && <LedgerCard />}
        <p
          class="visually-hidden"
          aria-live="polite"
        >{`Balance ${dollars(account.available)}, ${count(account.available)} credits`}</p>
      </div>
    </>
  );
};
export default Overview;
