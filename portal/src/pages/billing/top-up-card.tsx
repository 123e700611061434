/** Automatic top-up: the saved card, the terms, how it stands. */
import { useEffect, useRef } from 'preact/hooks';
import { useRoute } from 'preact-iso/router';
import type { AutomaticTopUp } from '../../../../shared/portal-api.ts';
import { Badge } from '../../components/badge.tsx';
import { Card } from '../../components/card.tsx';
import { Notice } from '../../components/notice.tsx';
import { Problem } from '../../components/problem.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { useSession } from '../../session.tsx';
import { useQuery } from '../../use-query.ts';
import { SavedCard } from './saved-card.tsx';
import { TopUpForm } from './top-up-form.tsx';
import { TopUpTable } from './top-up-table.tsx';
import { lastBought, pauseText, waitingText } from './top-up-texts.ts';
import { useArriving } from './use-arriving.ts';

const StateBadge = ({ enabled, pause }: AutomaticTopUp) =>
  enabled ? <Badge tone={pause ? 'warn' : 'good'}>{pause ? 'Paused' : 'On'}</Badge> : <Badge>Off</Badge>;

const State = ({ topUp, late }: { topUp: AutomaticTopUp; late: boolean | undefined }) => (
  <>
    {topUp.pause && <Notice tone={topUp.pause === 'disputed' ? 'bad' : 'warn'}>{pauseText(topUp.pause)}</Notice>}
    {topUp.enabled && !topUp.pause && topUp.waiting && <Notice tone="info">{waitingText(topUp.waiting)}</Notice>}
    {late !== undefined && (
      <Notice tone={late ? 'warn' : 'info'}>
        {late
          ? 'The card is not confirmed yet. This can take a few minutes; reload this page to check again.'
          : 'Waiting for the card to be confirmed…'}
      </Notice>
    )}
  </>
);

/** `onBought`: a top-up brought its credits while the page was looked at, however fast. */
export const TopUpCard = ({ onBought }: { onBought: () => void }) => {
  const { query } = useRoute();
  const { refresh } = useSession();
  const { value, problem, reload } = useQuery<AutomaticTopUp>('/top-up');
  const awaitsCard = query['card'] === 'saved' && value !== undefined && value.card === null;
  const [newest] = value?.top_ups ?? [];
  const isOpen = newest !== undefined && ['due', 'asked', 'paid'].includes(newest.state);
  const { late } = useArriving(awaitsCard || isOpen, reload);
  const bought = value && lastBought(value.top_ups);
  const known = useRef<number>(undefined);
  useEffect(() => {
    if (bought === undefined) return;
    if (known.current !== undefined && bought > known.current) {
      void refresh();
      onBought();
    }
    known.current = bought;
  }, [bought]);
  return (
    <Card
      title="Automatic top-up"
      lead={`Buys a pack with your saved card when credits run low.${value?.enabled ? '' : ' Off until you switch it on.'}`}
      {...(value && { action: <StateBadge {...value} /> })}
    >
      <Problem problem={problem} retry={reload} />
      {!value && !problem && <Skeleton height={5} />}
      {value && (
        <div class="topup">
          <State topUp={value} late={awaitsCard ? late : undefined} />
          <SavedCard card={value.card} onChange={reload} />
          {value.card && <TopUpForm topUp={value} onChange={reload} />}
          {value.top_ups.length > 0 && <TopUpTable rows={value.top_ups} />}
        </div>
      )}
    </Card>
  );
};
