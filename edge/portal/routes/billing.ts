/** Buying, receipts, and the ledger with its export. */

import { Hono } from 'hono';
import { z } from 'zod';
import { utcDay } from '../../../shared/clock.ts';
import { CENTS_PER_CREDIT, PACK, packOf, usdString } from '../../../shared/credits.ts';
import { isId, newId } from '../../../shared/ids.ts';
import type { Invoice, LedgerPage, Receipt, ReceiptDetail } from '../../../shared/portal-api.ts';
import { type LedgerSource, ledgerLines } from '../../account/ledger/archive.ts';
import { attachmentHeaders } from '../../http/content-disposition.ts';
import { edgeLimits } from '../../limits.ts';
import { errorText, logEvent } from '../../log.ts';
import { stripeCheckout } from '../../payments/checkout.ts';
import { invoiceOf } from '../../payments/invoice.ts';
import { type Adjustment, paymentStore } from '../../payments/store.ts';
import type { Payment } from '../../payments/target.ts';
import { openTestCheckout } from '../../payments/test-checkout.ts';
import { countWithin } from '../counters.ts';
import type { PortalDeps } from '../deps.ts';
import { accountOf, type PortalContext, refuse, refuseForNow, type SignedIn } from '../guard.ts';
import { ledgerCsv } from '../ledger-csv.ts';
import { ledgerRow } from '../ledger-rows.ts';
import { bodyOf } from '../read-body.ts';
import { timeOf } from '../time.ts';

/** `credits`: which pack. */
const attempt = z.strictObject({ attempt_id: z.uuid(), credits: z.number().optional() });
const NO_INVOICE = 'Stripe has no invoice for this payment. This receipt stands for it.';
const usd = (cents: number): string => `${cents < 0 ? '-' : ''}$${(Math.abs(cents) / 100).toFixed(2)}`;

const receiptOf = (payment: Payment, adjustments: readonly Adjustment[]): Receipt => ({
  payment_id: payment.id,
  paid_at: timeOf(payment.paidAt),
  amount_usd: usd(payment.amountCents),
  price_usd: usdString(payment.credits),
  tax_usd: usd(payment.amountCents - payment.credits * CENTS_PER_CREDIT),
  credits: payment.credits,
  email: payment.email,
  mode: payment.mode,
  adjustments: adjustments
    .filter((row) => row.paymentId === payment.id)
    .map((row) => ({ kind: row.kind, at: timeOf(row.madeAt), amount_usd: usd(-row.cents), credits: row.credits })),
});

const ledgerOf = async (deps: PortalDeps, user: SignedIn): Promise<LedgerSource> => {
  const { ledger } = await accountOf(deps, user);
  return { accountId: user.accountId, ledger, archive: deps.services.ledgerArchive };
};

export const billingRoutes = (deps: PortalDeps): Hono<PortalContext> => {
  const { db, services, settings } = deps;
  const store = paymentStore(db);
  const paymentOf = async (accountId: string, id: string): Promise<Payment | undefined> =>
    isId('payment', id) ? (await store.payments(accountId)).find((row) => row.id === id) : undefined;
  return new Hono<PortalContext>()
    .post('/checkout', async (c) => {
      const body = await bodyOf(c, attempt);
      if (!body) return refuse(400, 'invalid_request', 'An attempt_id is needed.');
      const pack = packOf(body.credits ?? PACK.credits);
      if (!pack) return refuse(400, 'invalid_request', `There is no pack of ${body.credits} credits.`);
      const { accountId, email } = c.get('user');
      await accountOf(deps, c.get('user'));
      const nowMs = services.clock.nowMs();
      const wait = await countWithin(db, `checkout:${accountId}`, edgeLimits.portal.checkouts, nowMs);
      if (wait.waitMs > 0) return refuseForNow('rate_limited', 'Too many checkouts. Try again later.', wait);
      const newCheckoutId = (): string => newId('payment', nowMs, services.randomBytes).slice(4);
      const open =
        settings.checkout.kind === 'stripe'
          ? stripeCheckout(settings.checkout, settings.publicBaseUrl, `${accountId}:${body.attempt_id}`)
          : openTestCheckout({ db, newCheckoutId, nowMs });
      return c.json(await open({ accountId, email }, pack));
    })
    .get('/payments', async (c) => {
      const { accountId } = c.get('user');
      const [payments, adjustments] = await Promise.all([store.payments(accountId), store.adjustments(accountId)]);
      return c.json({ receipts: payments.map((payment) => receiptOf(payment, adjustments)) });
    })
    .get('/payments/:id', async (c) => {
      const { accountId } = c.get('user');
      const payment = await paymentOf(accountId, c.req.param('id'));
      if (!payment) return refuse(404, 'not_found', 'No such receipt.');
      const { name, address, taxId } = settings.seller;
      return c.json({
        ...receiptOf(payment, await store.adjustments(accountId)),
        seller: { name, address, tax_id: taxId },
        has_invoice: payment.mode === 'stripe' && settings.checkout.kind === 'stripe',
      } satisfies ReceiptDetail);
    })
    .get('/payments/:id/invoice', async (c) => {
      const { accountId } = c.get('user');
      const payment = await paymentOf(accountId, c.req.param('id'));
      if (payment?.mode !== 'stripe' || settings.checkout.kind !== 'stripe')
        return refuse(404, 'no_invoice', NO_INVOICE);
      const wait = await countWithin(db, `invoice:${accountId}`, edgeLimits.portal.invoices, services.clock.nowMs());
      if (wait.waitMs > 0) return refuseForNow('rate_limited', 'Too many invoices. Try again later.', wait);
      try {
        const invoice = await invoiceOf(settings.checkout.secretKey, payment);
        return invoice ? c.json(invoice satisfies Invoice) : refuse(404, 'no_invoice', NO_INVOICE);
      } catch (error) {
        logEvent('error', 'invoice_not_read', { payment_id: payment.id, error: errorText(error) });
        return refuse(
          503,
          'invoice_not_read',
          'The invoice could not be read from Stripe. Try again later; if it stays so, the operator has to look.',
        );
      }
    })
    .get('/ledger', async (c) => {
      const { cursor, max } = c.req.query();
      if (cursor && !/^\d{1,15}$/.test(cursor)) return refuse(400, 'invalid_request', 'This is not a cursor.');
      const rows = Math.min(
        edgeLimits.portal.ledgerPageRowsMax,
        Math.max(1, Math.trunc(Number(max)) || edgeLimits.portal.logPageRows),
      );
      const source = await ledgerOf(deps, c.get('user'));
      const page = await ledgerLines(source, { cursor: cursor || null, max: rows, archivedMax: rows });
      return c.json({
        rows: page.lines.map(ledgerRow),
        next_cursor: page.next,
        folded_through: page.unreadThrough,
      } satisfies LedgerPage);
    })
    .get('/ledger.csv', async (c) => {
      const { before } = c.req.query();
      if (before && !/^\d{1,15}$/.test(before))
        return refuse(400, 'invalid_request', 'This is not the number of a line.');
      const source = await ledgerOf(deps, c.get('user'));
      const day = utcDay(services.clock.nowMs());
      return c.body(ledgerCsv(source, before || null), 200, attachmentHeaders(`packshot-ledger-${day}.csv`, 'csv'));
    });
};
