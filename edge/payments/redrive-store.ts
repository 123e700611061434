/** What the re-drive finds and notes in D1: payments not yet settled, strays, and how far Stripe's events were read. */
import { paymentLimits } from './limits.ts';
import type { EventWindow } from './stripe-client.ts';

export type Pending = {
  readonly id: string;
  readonly accountId: string;
  readonly paymentIntent: string;
  readonly pendingSince: number;
};

/** `credits`: what the ledger was told of the payment, in sum; changes with every movement. */
export type Uncompared = Pick<Pending, 'id' | 'accountId' | 'paymentIntent'> & { readonly credits: number };

/** In random order: payments that the ledger keeps refusing must not hold up the others. */
const PENDING = `
  select id, account_id as accountId, payment_intent as paymentIntent, pending_since as pendingSince
  from payments where pending_since is not null and pending_since <= ? order by random() limit ?`;
const STRAYS = `
  select distinct payment_intent as paymentIntent from payment_reversals
  where stray_since is not null and stray_since <= ? order by random() limit ?`;
/** A payment that became known in this very moment keeps its reversals. */
const NO_PAYMENT = 'not exists (select 1 from payments p where p.payment_intent = payment_reversals.payment_intent)';
const FORGET_OLD_STRAYS = `
  delete from payment_reversals where rowid in (
    select rowid from payment_reversals where stray_since is not null and stray_since < ? and ${NO_PAYMENT} limit ?)`;

const CREDITS = '(select coalesce(sum(credits), 0) from payment_movements m where m.payment_intent = p.payment_intent)';
const MARK_COMPARED = `
  update payments as p set compared_at = ?3 where id = ?1 and pending_since is null and ${CREDITS} = ?2`;
const UNCOMPARED = `
  select p.id, p.account_id as accountId, p.payment_intent as paymentIntent, ${CREDITS} as credits
  from payments p where p.compared_at is null and p.pending_since is null order by p.paid_at limit ?`;

export type RedriveStore = ReturnType<typeof redriveStore>;

export const redriveStore = (db: D1Database) => ({
  pending: async (sinceMs: number): Promise<Pending[]> =>
    (await db.prepare(PENDING).bind(sinceMs, paymentLimits.pendingPerSweepMax).all<Pending>()).results,

  /** Payment intents of refunds and disputes whose payment is not known. */
  strays: async (sinceMs: number): Promise<string[]> =>
    (
      await db.prepare(STRAYS).bind(sinceMs, paymentLimits.straysPerSweepMax).all<{ paymentIntent: string }>()
    ).results.map(({ paymentIntent }) => paymentIntent),

  forgetStray: async (paymentIntent: string): Promise<void> =>
    void (await db
      .prepare(`delete from payment_reversals where payment_intent = ? and ${NO_PAYMENT}`)
      .bind(paymentIntent)
      .run()),

  forgetOldStrays: async (beforeMs: number): Promise<number> =>
    (await db.prepare(FORGET_OLD_STRAYS).bind(beforeMs, paymentLimits.strayRowsPerSweepMax).run()).meta.changes,

  /** Settled payments whose movements were not yet compared with the ledger's entries. */
  uncompared: async (): Promise<Uncompared[]> =>
    (await db.prepare(UNCOMPARED).bind(paymentLimits.comparesPerSweepMax).all<Uncompared>()).results,

  /** False where the payment has moved since it was read: it is compared again. */
  markCompared: async ({ id, credits }: Uncompared, nowMs: number): Promise<boolean> =>
    (await db.prepare(MARK_COMPARED).bind(id, credits, nowMs).run()).meta.changes > 0,

  /** Those of the ids that are payments of the account. */
  knownPayments: async (accountId: string, ids: readonly string[]): Promise<ReadonlySet<string>> => {
    const { results } = await db
      .prepare('select id from payments where account_id = ? and id in (select value from json_each(?))')
      .bind(accountId, JSON.stringify(ids))
      .all<{ id: string }>();
    return new Set(results.map(({ id }) => id));
  },

  pollWindow: (): Promise<EventWindow | null> =>
    db.prepare('select from_ms as fromMs, to_ms as toMs, after from stripe_poll').first<EventWindow>(),

  savePollWindow: async ({ fromMs, toMs, after }: EventWindow): Promise<void> =>
    void (await db
      .prepare(
        `insert into stripe_poll (id, from_ms, to_ms, after) values (1, ?, ?, ?)
         on conflict (id) do update set from_ms = excluded.from_ms, to_ms = excluded.to_ms, after = excluded.after`,
      )
      .bind(fromMs, toMs, after)
      .run()),
});
