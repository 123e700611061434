/** Rows of the version before become facts and movements, and nothing is told to a ledger twice. */
import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import { sweepPayments } from '../../../edge/portal/sweep.ts';
import { PACK } from '../../../shared/credits.ts';
import { newId } from '../../../shared/ids.ts';
import { rows } from '../portal/customer.ts';
import { bindings, entriesOf } from '../support/service.ts';
import { paymentServices } from './stripe-events.ts';

type Migration = { readonly name: string; readonly queries: readonly string[] };
const { TEST_MIGRATIONS } = env as unknown as { TEST_MIGRATIONS: readonly Migration[] };
const apply = async (name: string): Promise<void> => {
  const { queries } = TEST_MIGRATIONS.find((migration) => migration.name.startsWith(name))!;
  for (const query of queries) await bindings.DB.prepare(query).run();
};
const accountId = (): string => newId('account', Date.now(), paymentServices.randomBytes);
const [settled, broken] = [accountId(), accountId()];

const insert = (table: string, row: Record<string, unknown>): Promise<unknown> =>
  bindings.DB.prepare(
    `insert into ${table} (${Object.keys(row).join()}) values (${Object.keys(row)
      .map(() => '?')
      .join()})`,
  )
    .bind(...Object.values(row))
    .run();
const payment = (id: string, account: string, credited: number | null) =>
  insert('payments', {
    id,
    account_id: account,
    payment_intent: `pi_${id}`,
    checkout_session: `cs_${id}`,
    amount_cents: 25_000,
    currency: 'usd',
    credits: PACK.credits,
    email: 'ada@example.com',
    mode: 'stripe',
    paid_at: 1_000,
    credited_at: credited,
  });
const adjustment = (id: string, of: string, kind: string, cents: number, credits: number, recorded: number | null) =>
  insert('payment_adjustments', { id, payment_id: of, kind, cents, credits, made_at: 3_000, recorded_at: recorded });

/** The file's database, taken back to the version before, with what it would hold. */
beforeAll(async () => {
  for (const table of ['payment_movements', 'payment_reversals', 'payments', 'stripe_poll', 'test_checkouts'])
    await bindings.DB.exec(`drop table ${table}`);
  await apply('0002');
  await payment('pay_settled', settled, 2_000);
  await adjustment('refund:re_1', 'pay_settled', 'refund', 5_000, -200, 4_000);
  await adjustment('refund_failed:re_1', 'pay_settled', 'refund_failed', -5_000, 200, 4_000);
  await adjustment('dispute:dp_1', 'pay_settled', 'dispute', 10_000, -400, 4_000);
  await payment('pay_broken', broken, null);
  await adjustment('refund:re_2', 'pay_broken', 'refund', 5_000, -200, null);
  const ledger = paymentServices.accountOf(settled).ledger;
  await ledger.open({ accountId: settled, label: '' });
  await ledger.grant({ id: 'purchase:pi_pay_settled', credits: 1_000, reason: 'purchase', reference: 'pay_settled' });
  for (const [id, credits, reason] of [
    ['refund:re_1', -200, 'refund'],
    ['refund_failed:re_1', 200, 'refund_failed'],
    ['dispute:dp_1', -400, 'dispute'],
  ] as const)
    await ledger.adjust({ id, credits, reason, reference: 'pay_settled' });
  await apply('0003');
});

describe('the migration to facts and movements', () => {
  it('keeps every payment, and joins what the version before wrote of one refund or dispute', async () => {
    const SUMS =
      'select id, source, taken_cents as taken, returned_cents as returned from payment_reversals order by id';
    expect(await rows(SUMS)).toEqual([
      { id: 'dp_1', source: 'dispute', taken: 10_000, returned: 0 },
      { id: 're_1', source: 'refund', taken: 5_000, returned: 5_000 },
      { id: 're_2', source: 'refund', taken: 5_000, returned: 0 },
    ]);
    expect(await rows('select id, checkout_session, pending_since from payments order by id')).toEqual([
      { id: 'pay_broken', checkout_session: 'cs_pay_broken', pending_since: 1_000 },
      { id: 'pay_settled', checkout_session: 'cs_pay_settled', pending_since: null },
    ]);
  });

  it('finishes what was unfinished under the ids it had, and tells the ledger nothing twice', async () => {
    await sweepPayments(bindings, paymentServices);
    const ids = async (account: string) => (await entriesOf({ accountId: account })).map(({ commandId }) => commandId);
    expect((await ids(broken)).sort()).toEqual(['adjust:refund:re_2', 'grant:purchase:pi_pay_broken']);
    expect(await ids(settled)).toHaveLength(4);
    expect((await paymentServices.accountOf(broken).ledger.summary())?.available).toBe(800);
    expect((await paymentServices.accountOf(settled).ledger.summary())?.available).toBe(600);
    expect(await rows('select id from payments where pending_since is not null')).toEqual([]);
  });

  it('leaves every reference whole, and refuses a movement without a payment', async () => {
    expect(await rows('pragma foreign_key_check')).toEqual([]);
    await expect(
      insert('payment_movements', {
        payment_intent: 'pi_nobody',
        sequence: 1,
        ledger_id: 'x',
        kind: 'purchase',
        cents: 0,
        credits: 1,
        made_at: 1,
      }),
    ).rejects.toThrow(/FOREIGN KEY/);
  });
});
