/**
 * Asks Stripe for what is open, by the account's alarm. Each step is noted before the next, every step can be made again,
 * and the one invoice of a top-up can be paid once: so a crash, a lost answer or a repetition never charges twice, however
 * much later it is made again. An invoice is paid, or closed before the top-up counts as not charged.
 */
import { backoffMs } from '../../../shared/backoff.ts';
import { edgeLimits } from '../../limits.ts';
import { errorText, logEvent } from '../../log.ts';
import { all } from '../../sqlite/rows.ts';
import { beginIfLow, noteCredits, pauseTopUp, stopOpenTopUp } from './begin.ts';
import { type Charge, type ChargeCard, type FetchCredits, purchaseId, type Refused } from './port.ts';
import { endTopUp, openTopUp, readSetting, readTopUpLevel, saveSetting, type TopUpRow, topUpByNumber } from './rows.ts';

const { retry, triesMax, creditsLateMs, creditsLateAgainMs, pauseAfterFailureMs, detachTriesMax } = edgeLimits.topUp;

export type Driving = {
  readonly storage: Pick<DurableObjectStorage, 'sql' | 'transactionSync'>;
  readonly now: () => number;
  readonly accountId: () => string;
  /** Credits that can be spent now. */
  readonly available: () => number;
  /** The ledger's grant for a payment intent, if there is one. */
  readonly purchase: (paymentIntent: string) => { readonly payment: string | null } | undefined;
};

/** Throws nothing that Stripe did. */
export const driveTopUp = async (driving: Driving, cards: ChargeCard, fetchCredits: FetchCredits): Promise<void> => {
  const { storage, now, accountId } = driving;
  const row = openTopUp(storage.sql);
  if (!row || row.dueAtMs === null || row.dueAtMs > now()) return;
  if (row.state === 'paid') return creditLate(driving, row, fetchCredits);
  // Written before the call: after a crash in it the try is still known.
  storage.sql.exec(
    `update topUp set state = 'asked', tries = ?, dueAtMs = ? where number = ?`,
    row.tries + 1,
    now() + backoffMs(row.tries, retry),
    row.number,
  );
  try {
    await (row.tries >= triesMax ? close(driving, row, cards) : charge(driving, row, cards));
  } catch (error) {
    logEvent('warn', 'top_up_asked_later', {
      account_id: accountId(),
      top_up: row.number,
      tries: row.tries + 1,
      error: errorText(error),
    });
  }
};

/**
 * No delivery has told of its payment, and no re-drive found it: an operator is to hear of that. Or one has, before it was
 * known here by which payment intent the invoice is paid, as where somebody pays it on its page.
 */
const creditLate = async (driving: Driving, row: TopUpRow, fetch: FetchCredits): Promise<void> => {
  const { storage, now, accountId } = driving;
  const fields = { account_id: accountId(), top_up: row.number, invoice: row.invoice };
  logEvent('error', 'top_up_not_credited', fields);
  storage.sql.exec('update topUp set dueAtMs = ? where number = ?', now() + creditsLateAgainMs, row.number);
  if (row.invoice === null) return;
  try {
    endCredited(driving, row.number, await fetch(row.invoice));
  } catch (error) {
    logEvent('error', 'top_up_not_fetched', { ...fields, error: errorText(error) });
  }
};

/** Where the ledger has its credits. */
const endCredited = ({ storage, now, purchase }: Driving, number: number, paymentIntent: string | null): void => {
  const grant = paymentIntent === null ? undefined : purchase(paymentIntent);
  if (paymentIntent === null || !grant) return;
  storage.transactionSync(() => {
    storage.sql.exec('update topUp set paymentIntent = ? where number = ?', paymentIntent, number);
    noteCredits(storage.sql, purchaseId(paymentIntent), grant.payment, now());
  });
};

const chargeOf = (
  { accountId }: Driving,
  { number, credits, usdCents, customer, paymentMethod }: TopUpRow,
): Charge => ({
  id: `topup_${accountId()}_${number}`,
  accountId: accountId(),
  credits,
  usdCents,
  customer,
  paymentMethod,
});

/**
 * True where nobody wants it any more: its owner, or the balance, which another purchase has lifted. Its level is null only
 * where what set it so has stopped this one too.
 */
const isStopped = ({ storage: { sql }, now, available }: Driving, row: TopUpRow): boolean => {
  const level = readTopUpLevel(sql);
  if (row.isUnwanted === 1) return true;
  if (level === null || available() <= level) return false;
  stopOpenTopUp(sql, now());
  return true;
};
const fresh = ({ storage: { sql } }: Driving, row: TopUpRow): TopUpRow => topUpByNumber(sql, row.number) ?? row;

/** One step of Stripe after the other; stopped before each where it is not wanted any more. */
const charge = async (driving: Driving, row: TopUpRow, cards: ChargeCard): Promise<void> => {
  const { sql } = driving.storage;
  const asked = chargeOf(driving, row);
  if (isStopped(driving, row)) return close(driving, row, cards);
  if (row.invoice === null) {
    const opened = await cards.open(asked);
    if (opened.result === 'refused') return refuse(driving, row, opened);
    sql.exec('update topUp set invoice = ? where number = ?', opened.invoice, row.number);
  }
  let at = fresh(driving, row);
  if (at.state !== 'asked' || at.invoice === null) return;
  if (isStopped(driving, at)) return close(driving, at, cards);
  if (at.paymentIntent === null) {
    const readied = await cards.ready(asked, at.invoice);
    if (readied.result === 'refused') return refuseClosed(driving, at, cards, readied);
    sql.exec('update topUp set paymentIntent = ? where number = ?', readied.paymentIntent, row.number);
  }
  at = fresh(driving, row);
  if (at.state !== 'asked' || at.invoice === null) return;
  if (isStopped(driving, at)) return close(driving, at, cards);
  const reply = await cards.pay(asked, at.invoice);
  if (reply.result === 'paid') notePaid(driving, row.number);
  else refuse(driving, at, reply);
};

/** Its credits may have come before Stripe's answer: then it has ended. */
const notePaid = ({ storage: { sql }, now }: Driving, number: number): void => {
  sql.exec(
    `update topUp set state = 'paid', dueAtMs = ? where number = ? and state = 'asked'`,
    now() + creditsLateMs,
    number,
  );
};

/** Not charged, and never will be. */
const refuse = (driving: Driving, row: TopUpRow, { reason, why }: Refused): void => {
  const { storage, now, accountId, available } = driving;
  const level = reason === 'not_possible' ? 'error' : 'warn';
  logEvent(level, 'top_up_refused', { account_id: accountId(), top_up: row.number, reason, why });
  storage.transactionSync(() => {
    const at = topUpByNumber(storage.sql, row.number);
    if (at?.state !== 'asked') return;
    endTopUp(storage.sql, row.number, 'declined', now(), reason);
    // What was not wanted any more was refused under settings that have changed since.
    if (at.isUnwanted === 0) pauseTopUp(storage.sql, reason, now(), row);
    else beginIfLow(storage.sql, available(), now());
  });
};

const refuseClosed = async (driving: Driving, row: TopUpRow, cards: ChargeCard, refused: Refused): Promise<void> => {
  const paid = row.invoice !== null && (await cards.close(chargeOf(driving, row), row.invoice)) === 'paid';
  if (paid) notePaid(driving, row.number);
  else refuse(driving, row, refused);
};

/** Not wanted any more, or without an answer for too long. Without an invoice nothing was ever payable. */
const close = async (driving: Driving, row: TopUpRow, cards: ChargeCard): Promise<void> => {
  const { storage, now, available } = driving;
  if (row.invoice !== null && (await cards.close(chargeOf(driving, row), row.invoice)) === 'paid')
    return notePaid(driving, row.number);
  storage.transactionSync(() => {
    const at = topUpByNumber(storage.sql, row.number);
    if (at?.state !== 'asked') return;
    const isUnwanted = at.isUnwanted === 1;
    endTopUp(storage.sql, row.number, isUnwanted ? 'stopped' : 'failed', now());
    if (!isUnwanted) {
      const waiting = { for: 'stripe', untilMs: now() + pauseAfterFailureMs } as const;
      saveSetting(storage.sql, { ...readSetting(storage.sql), waiting });
    }
    beginIfLow(storage.sql, available(), now());
  });
};

/** Begins what had to wait for another month, or for Stripe. */
export const endWaiting = ({ storage, now, available }: Driving): void => {
  const setting = readSetting(storage.sql);
  if (!setting.waiting || setting.waiting.untilMs > now()) return;
  storage.transactionSync(() => {
    saveSetting(storage.sql, { ...setting, waiting: null });
    beginIfLow(storage.sql, available(), now());
  });
};

type ToDetach = { readonly paymentMethod: string; readonly tries: number };

/** Cards that are not to be charged any more; one that is being charged is left until that has ended. */
export const detachCards = async ({ storage: { sql }, now, accountId }: Driving, cards: ChargeCard): Promise<void> => {
  const due = all<ToDetach>(sql, 'select paymentMethod, tries from cardToDetach where dueAtMs <= ?', now());
  for (const { paymentMethod, tries } of due) {
    const waitMs = backoffMs(tries, retry);
    sql.exec(
      'update cardToDetach set tries = ?, dueAtMs = ? where paymentMethod = ?',
      tries + 1,
      now() + waitMs,
      paymentMethod,
    );
    const open = openTopUp(sql);
    if (open?.paymentMethod === paymentMethod && open.state === 'asked') continue;
    const done = (): unknown => sql.exec('delete from cardToDetach where paymentMethod = ?', paymentMethod);
    try {
      await cards.detach(paymentMethod);
      done();
    } catch (error) {
      const isLast = tries + 1 >= detachTriesMax;
      logEvent(isLast ? 'error' : 'warn', isLast ? 'card_not_detached' : 'card_detached_later', {
        account_id: accountId(),
        tries: tries + 1,
        error: errorText(error),
      });
      if (isLast) done();
    }
  }
};
