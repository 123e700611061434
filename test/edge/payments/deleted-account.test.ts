/** Nobody pays for an account that is deleted: its open checkouts end with it, and what comes all the same is told. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { closeStripeCheckouts } from '../../../edge/payments/close-checkouts.ts';
import { paymentLimits } from '../../../edge/payments/limits.ts';
import { accountIdOf, answerOf, type Customer, PASSWORD, registered, rows } from '../portal/customer.ts';
import { entriesOf } from '../support/service.ts';
import { buyer } from './buyer.ts';
import { checkoutOf, deliver, event } from './stripe-events.ts';

afterEach(() => vi.restoreAllMocks());

type Session = {
  readonly id: string;
  readonly metadata: Record<string, string>;
  readonly mode: 'payment' | 'setup';
  status: 'open' | 'complete' | 'expired';
};
const NOW = Date.UTC(2026, 10, 23);
let made = 0;
const sessionOf = (accountId: string, mode: Session['mode'] = 'payment', service = 'packshot'): Session => ({
  id: `cs_${++made}`,
  metadata: { service, account_id: accountId },
  mode,
  status: 'open',
});

/** Stripe's checkouts, listed by status, newest first, page by page. `meanwhile`: before one is expired. */
const stripeHas = (sessions: readonly Session[], meanwhile: (session: Session) => void = () => {}): URL[] => {
  const lists: URL[] = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const url = new URL(String(input));
    const [, , , , id, deed] = url.pathname.split('/');
    const { searchParams: asked } = url;
    if (id === undefined) {
      lists.push(url);
      const open = sessions.filter(({ status }) => status === asked.get('status'));
      const after = asked.get('starting_after');
      const from = after === null ? 0 : open.findIndex((session) => session.id === after) + 1;
      const max = Number(asked.get('limit'));
      return Response.json({
        object: 'list',
        url: '/v1/checkout/sessions',
        data: open.slice(from, from + max),
        has_more: open.length > from + max,
      });
    }
    const session = sessions.find((row) => row.id === id);
    if (!session) return Response.json({ error: { type: 'invalid_request_error' } }, { status: 404 });
    if (init?.method !== 'POST' || deed !== 'expire') return Response.json(session);
    meanwhile(session);
    if (session.status !== 'open')
      return Response.json({ error: { type: 'invalid_request_error', message: 'not open' } }, { status: 400 });
    session.status = 'expired';
    return Response.json(session);
  });
  return lists;
};
const close = (accountId: string) => closeStripeCheckouts({ secretKey: 'sk_test_of_stripe' }, NOW)(accountId);
const deleteAccount = (customer: Customer): Promise<Response> =>
  customer.call('POST', '/account/delete', { password: PASSWORD, forfeited_credits: 0 });

describe('open checkouts of an account', () => {
  it('all end, to pay and to save a card, on whatever page of Stripe’s list; those of others stay', async () => {
    const others = Array.from({ length: 250 }, (_, i) => sessionOf('acc_2', 'payment', i % 2 ? 'packshot' : 'another'));
    const own = [sessionOf('acc_1'), sessionOf('acc_1', 'setup'), sessionOf('acc_1')];
    const foreign = sessionOf('acc_1', 'payment', 'another');
    const [first, second, third] = own as [Session, Session, Session];
    const lists = stripeHas([first, ...others.slice(0, 120), second, foreign, ...others.slice(120), third]);
    expect(await close('acc_1')).toBe('closed');
    expect(own.map(({ status }) => status)).toEqual(['expired', 'expired', 'expired']);
    expect([foreign, ...others].every(({ status }) => status === 'open')).toBe(true);
    expect(lists).toHaveLength(3);
    expect(lists[0]?.searchParams.get('created[gte]')).toBe(String(NOW / 1_000 - 24 * 60 * 60));
  });

  it('one that is paid at this moment is told, and one that expires at this moment is closed', async () => {
    const paid = sessionOf('acc_1');
    stripeHas([paid, sessionOf('acc_1')], (session) => {
      session.status = session === paid ? 'complete' : 'expired';
    });
    expect(await close('acc_1')).toBe('paid');
    const card = sessionOf('acc_1', 'setup');
    stripeHas([card], (session) => {
      session.status = 'complete';
    });
    expect(await close('acc_1')).toBe('closed');
  });

  it('are looked for among so many and no more', async () => {
    stripeHas(Array.from({ length: paymentLimits.openCheckoutsMax + 1 }, () => sessionOf('acc_2')));
    await expect(close('acc_1')).rejects.toThrow(/5000/);
  });
});

describe('deleting an account', () => {
  it('ends its checkouts first', async () => {
    const customer = await buyer();
    const open = sessionOf(await accountIdOf(customer));
    stripeHas([open]);
    expect((await deleteAccount(customer)).status).toBe(200);
    expect(open.status).toBe('expired');
  });

  it('waits for a payment that is being made, and for a Stripe that does not answer; nothing is deleted', async () => {
    const customer = await buyer();
    const accountId = await accountIdOf(customer);
    stripeHas([sessionOf(accountId)], (session) => {
      session.status = 'complete';
    });
    expect(await answerOf(deleteAccount(customer))).toMatchObject({ status: 409, code: 'payment_in_progress' });
    vi.restoreAllMocks();
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {});
    vi.spyOn(globalThis, 'fetch').mockResolvedValue(
      Response.json({ error: { type: 'api_error', message: 'no' } }, { status: 400 }),
    );
    expect(await answerOf(deleteAccount(customer))).toMatchObject({ status: 503, code: 'checkouts_not_closed' });
    expect(String(logged.mock.calls)).toContain('checkouts_not_closed');
    expect(await accountIdOf(customer)).toBe(accountId);
    expect((await customer.call('GET', '/keys')).status).toBe(200);
  });

  it('of local mode takes its test checkouts along', async () => {
    const customer = await registered();
    const accountId = await accountIdOf(customer);
    const of = () => rows('select 1 from test_checkouts where account_id = ?', accountId);
    await customer.call('POST', '/checkout', { attempt_id: crypto.randomUUID() });
    expect(await of()).toHaveLength(1);
    expect((await deleteAccount(customer)).status).toBe(200);
    expect(await of()).toEqual([]);
  });
});

it('a payment that comes after the deletion is recorded, and logged as an error that names it', async () => {
  const customer = await registered();
  const accountId = await accountIdOf(customer);
  expect((await deleteAccount(customer)).status).toBe(200);
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {});
  const intent = `pi_${crypto.randomUUID()}`;
  const paid = checkoutOf(accountId, intent);
  expect((await deliver(event('checkout.session.async_payment_succeeded', paid))).status).toBe(200);
  const lines = await entriesOf({ accountId });
  expect(lines.map(({ commandId }) => commandId)).toContain(`grant:purchase:${intent}`);
  const told = logged.mock.calls.map(([text]) => JSON.parse(String(text)) as Record<string, unknown>);
  expect(told).toEqual([
    expect.objectContaining({ event: 'deleted_account_paid', account_id: accountId, payment_id: expect.any(String) }),
  ]);
});
