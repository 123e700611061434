/** Buying the pack, receipts, the whole ledger. */
import { useEffect, useState } from 'preact/hooks';
import { PACK } from '../../../shared/credits.ts';
import type { LedgerPage, LedgerRow, PortalProblem, Receipt } from '../../../shared/portal-api.ts';
import { get, post } from '../api.ts';
import { count, dateText, dollars, plural, signed } from '../format.ts';
import { navigate, useLocation } from '../router.tsx';
import { useSession } from '../session.tsx';
import { Icon } from '../ui/icons.tsx';
import { Badge, Button, Card, Empty, Notice, PageHead, Problem, ShowOlder, Skeleton } from '../ui/kit.tsx';
import { useQuery } from '../use-query.ts';
import { ExportLedger, LedgerTable } from './parts/ledger-table.tsx';

const SETTLE_POLLS_MAX = 15;
const SETTLE_POLL_MS = 2_000;

const BuyCard = () => {
  const { config, me } = useSession();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<PortalProblem>();
  const buy = async (): Promise<void> => {
    setBusy(true);
    // One attempt per click: a repeated delivery of the same click opens the same checkout.
    const answer = await post<{ url: string }>('/checkout', { attempt_id: crypto.randomUUID() });
    if (!answer.ok) {
      setBusy(false);
      return setProblem(answer.problem);
    }
    if (answer.value.url.startsWith('/')) navigate(answer.value.url);
    else location.assign(answer.value.url);
  };
  return (
    <section class="card pack">
      <div class="pack-what">
        <h2>API pack</h2>
        <p class="pack-price">
          <strong class="num">{dollars(PACK.credits)}</strong> <span class="muted">{count(PACK.credits)} credits</span>
        </p>
        <ul class="ticks">
          <li>
            <Icon name="check" size={14} /> One credit per delivered image, $0.25
          </li>
          <li>
            <Icon name="check" size={14} /> Nothing is charged for an image that fails
          </li>
          <li>
            <Icon name="check" size={14} /> Credits do not expire
          </li>
        </ul>
        <Problem problem={problem} />
        <Button kind="primary" busy={busy} onClick={() => void buy()}>
          {config?.checkout === 'test' ? 'Buy with test checkout' : 'Buy the pack'}
        </Button>
        <p class="small muted">
          {config?.checkout === 'test'
            ? 'Local mode: the checkout is a labelled test, no money moves.'
            : 'Paid by card through Stripe Checkout. Credits arrive as soon as Stripe confirms.'}
        </p>
      </div>
      <dl class="pack-now">
        <div>
          <dt>Balance</dt>
          <dd class="num">{dollars(me!.account.available)}</dd>
        </div>
        <div>
          <dt>Credits</dt>
          <dd class="num">{count(me!.account.available)}</dd>
        </div>
        <div>
          <dt>Held</dt>
          <dd class="num">{count(me!.account.held)}</dd>
        </div>
      </dl>
    </section>
  );
};

const kinds: Record<string, string> = {
  refund: 'Refunded',
  refund_failed: 'Refund failed',
  dispute: 'Disputed',
  dispute_returned: 'Dispute won',
};

const Receipts = ({ receipts }: { receipts: readonly Receipt[] }) => (
  <div class="table-wrap">
    <table class="cards-on-phone">
      <caption class="visually-hidden">Receipts</caption>
      <thead>
        <tr>
          <th>Receipt</th>
          <th>Date</th>
          <th class="right">Credits</th>
          <th class="right">Amount</th>
        </tr>
      </thead>
      <tbody>
        {receipts.map((receipt) => (
          <tr key={receipt.payment_id}>
            <td class="lead">
              <div class="row tight">
                <a class="mono small" href={`/billing/receipts/${receipt.payment_id}`}>
                  {receipt.payment_id}
                </a>
                {receipt.mode === 'test' && <Badge tone="warn">Test</Badge>}
                {receipt.adjustments.map((adjustment) => (
                  <Badge key={adjustment.at + adjustment.kind} tone={adjustment.credits < 0 ? 'bad' : 'good'}>
                    {kinds[adjustment.kind]} {signed(adjustment.credits)}
                  </Badge>
                ))}
              </div>
            </td>
            <td data-label="Date" class="nowrap muted">
              {dateText(receipt.paid_at)}
            </td>
            <td data-label="Credits" class="right">
              {count(receipt.credits)}
            </td>
            <td data-label="Amount" class="right">
              {receipt.amount_usd}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

const Ledger = () => {
  const first = useQuery<LedgerPage>('/ledger');
  const [older, setOlder] = useState<readonly LedgerRow[]>([]);
  const [cursor, setCursor] = useState<string | null>(null);
  useEffect(() => {
    setOlder([]);
    setCursor(first.value?.next_cursor ?? null);
  }, [first.value]);
  const more = async (): Promise<void> => {
    const answer = await get<LedgerPage>(`/ledger?cursor=${encodeURIComponent(cursor ?? '')}`);
    if (!answer.ok) return;
    setOlder((before) => [...before, ...answer.value.rows]);
    setCursor(answer.value.next_cursor);
  };
  const rows = [...(first.value?.rows ?? []), ...older];
  return (
    <div id="ledger">
      <Card
        title="Ledger"
        lead="Append-only. Available, held and used always add up to what was bought."
        flush
        action={<ExportLedger />}
      >
        <Problem problem={first.problem} />
        {!first.value && !first.problem && (
          <div class="card-body">
            <Skeleton height={12} />
          </div>
        )}
        {first.value && rows.length === 0 && (
          <Empty icon="billing" title="No movements yet">
            Bought credits and processed images appear here.
          </Empty>
        )}
        {rows.length > 0 && <LedgerTable rows={rows} />}
        {cursor && <ShowOlder more={more} />}
      </Card>
    </div>
  );
};

/** After a checkout the webhook may still be on its way: ask a few times, then say so. */
const useSettled = (waiting: boolean, receipts: ReturnType<typeof useQuery<{ receipts: readonly Receipt[] }>>) => {
  const { refresh } = useSession();
  const [polls, setPolls] = useState(0);
  const newest = receipts.value?.receipts[0];
  const arrived = newest !== undefined && Date.now() - new Date(newest.paid_at).getTime() < 10 * 60_000;
  useEffect(() => {
    if (!waiting || arrived || polls >= SETTLE_POLLS_MAX) return;
    const timer = setTimeout(() => {
      setPolls(polls + 1);
      receipts.reload();
    }, SETTLE_POLL_MS);
    return () => clearTimeout(timer);
  }, [waiting, arrived, polls]);
  useEffect(() => void refresh(), [arrived]);
  return { arrived, late: polls >= SETTLE_POLLS_MAX };
};

const Billing = () => {
  const { query } = useLocation();
  const { me } = useSession();
  const receipts = useQuery<{ receipts: readonly Receipt[] }>('/payments');
  const checkout = query.get('checkout');
  const { arrived, late } = useSettled(checkout === 'done', receipts);
  return (
    <>
      <PageHead title="Billing" lead="Prepaid credits: no subscription, no invoice at the end of the month." />
      <div class="stack">
        {checkout === 'done' &&
          (arrived ? (
            <Notice tone="good">
              Paid. {plural(PACK.credits, 'credit')} were added. <a href="/keys">Generate a key</a>
            </Notice>
          ) : (
            <Notice tone={late ? 'warn' : 'info'}>
              {late
                ? 'The payment is not confirmed yet. It can take some minutes; this page will show it.'
                : 'Waiting for the payment to be confirmed…'}
            </Notice>
          ))}
        {checkout === 'cancelled' && <Notice tone="info">The checkout was cancelled. Nothing was charged.</Notice>}
        {me!.account.available < 0 && (
          <Notice tone="bad">
            The balance is {dollars(me!.account.available)}: a refund or dispute took back credits that were already
            used. Buying a pack settles it.
          </Notice>
        )}
        <BuyCard />
        <Card title="Receipts" flush>
          <Problem problem={receipts.problem} />
          {!receipts.value && !receipts.problem && (
            <div class="card-body">
              <Skeleton height={5} />
            </div>
          )}
          {receipts.value?.receipts.length === 0 && (
            <Empty icon="billing" title="No receipts yet">
              Each payment leaves a receipt here that you can print.
            </Empty>
          )}
          {receipts.value && receipts.value.receipts.length > 0 && <Receipts receipts={receipts.value.receipts} />}
        </Card>
        <Ledger />
      </div>
    </>
  );
};
export default Billing;
