import { useEffect, useState } from 'preact/hooks';
import type { Receipt } from '../../../../shared/portal-api.ts';
import { useSession } from '../../session.tsx';
import type { Query } from '../../use-query.ts';
import type { Receipts } from './receipts-card.tsx';

const POLLS_MAX = 15;
const POLL_MS = 2_000;
/** The newest receipt when this tab left for a checkout: the one that the checkout makes is another. */
const BEFORE = 'packshot-receipt-before';
export const rememberReceipt = ({ value }: Query<Receipts>): void =>
  sessionStorage.setItem(BEFORE, value?.receipts[0]?.payment_id ?? '');

/** A receipt younger than this is the one that the checkout made. */
const NEW_MS_MAX = 10 * 60_000;

/** After a checkout the webhook may still be on its way: ask a few times, then say so. */
export const useSettled = (
  waiting: boolean,
  receipts: Query<Receipts>,
): { arrived: Receipt | undefined; late: boolean } => {
  const { refresh } = useSession();
  const [polls, setPolls] = useState(0);
  const newest = receipts.value?.receipts[0];
  const isNew =
    newest !== undefined &&
    newest.payment_id !== sessionStorage.getItem(BEFORE) &&
    Date.now() - new Date(newest.paid_at).getTime() < NEW_MS_MAX;
  const arrived = isNew ? newest : undefined;
  useEffect(() => {
    if (!waiting || arrived || polls >= POLLS_MAX) return;
    const timer = setTimeout(() => {
      setPolls(polls + 1);
      receipts.reload();
    }, POLL_MS);
    return () => clearTimeout(timer);
  }, [waiting, arrived?.payment_id, polls]);
  useEffect(() => void refresh(), [arrived?.payment_id]);
  return { arrived, late: polls >= POLLS_MAX };
};
