/**
 * Stripe as top-ups meet it: invoices, cards, Idempotency-Keys that replay an answer, whatever it was, and events. The
 * network's other end; every fault that a network has may be asked for by the call it is to happen to.
 */
import type Stripe from 'stripe';
import { vi } from 'vitest';

type Fields = Readonly<Record<string, string>>;
export type StandInInvoice = {
  readonly id: string;
  readonly customer: string;
  status: 'draft' | 'open' | 'paid' | 'void';
  subtotal: number;
  readonly discountCents: number;
  taxCents: number;
  amountPaid: number;
  metadata: Record<string, string>;
  paymentIntent: string | null;
};
/** `lost`: done, and the answer does not arrive. `down`: not done. `broken`: done, answered 500, which its key replays. */
export type Fault = 'lost' | 'down' | 'broken';
export type Refusal = { readonly code: string; readonly decline_code?: string };

export type StandIn = ReturnType<typeof stripeStandIn>;

type Names<Params> = readonly (keyof Params)[];
/** Fields that a call may have, by its name below; Stripe refuses all others. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  create: [
    'customer',
    'currency',
    'collection_method',
    'auto_advance',
    'automatic_tax',
    'default_payment_method',
    'payment_settings',
    'discounts',
    'pending_invoice_items_behavior',
    'metadata',
  ] satisfies Names<Stripe.InvoiceCreateParams>,
  item: [
    'customer',
    'invoice',
    'currency',
    'amount',
    'tax_behavior',
    'description',
    'discountable',
  ] satisfies Names<Stripe.InvoiceItemCreateParams>,
  finalize: ['auto_advance', 'expand'] satisfies Names<Stripe.InvoiceFinalizeInvoiceParams>,
  mark: ['metadata'] satisfies Names<Stripe.InvoiceUpdateParams>,
  pay: ['payment_method', 'off_session'] satisfies Names<Stripe.InvoicePayParams>,
};
const unknownField = (name: string, body: Fields): string | undefined =>
  Object.keys(body).find((field) => !FIELDS[name]?.includes(field.replace(/\[.*$/, '')));

/**
 * Stands in for `fetch` until mocks are restored. `discountCents`: what every customer has off, unless an invoice is told
 * to take none; `balanceCents`: what every customer is owed by the operator, which pays first.
 */
export const stripeStandIn = ({ taxCents = 0, discountCents = 0, balanceCents = 0 } = {}) => {
  const invoices = new Map<string, StandInInvoice>();
  const replies = new Map<string, { readonly request: string; readonly status: number; readonly body: string }>();
  const cards = new Map<string, Refusal | 'works'>();
  const charges: { readonly invoice: string; readonly paymentMethod: string; readonly cents: number }[] = [];
  const detached: string[] = [];
  const calls: string[] = [];
  const faults = new Map<string, Fault[]>();
  let meanwhile: (call: string) => Promise<void> = async () => {};
  let made = 0;

  const untaxedOf = ({ subtotal, discountCents: off }: StandInInvoice): number => Math.max(0, subtotal - off);
  const totalOf = (invoice: StandInInvoice): number => untaxedOf(invoice) + invoice.taxCents;
  const dueOf = (invoice: StandInInvoice): number => Math.max(0, totalOf(invoice) - balanceCents);
  const shown = (invoice: StandInInvoice) => ({
    id: invoice.id,
    object: 'invoice',
    customer: invoice.customer,
    status: invoice.status,
    subtotal: invoice.subtotal,
    total: totalOf(invoice),
    total_excluding_tax: untaxedOf(invoice),
    amount_due: dueOf(invoice),
    amount_paid: invoice.amountPaid,
    currency: 'usd',
    livemode: false,
    created: Math.floor(Date.now() / 1_000),
    status_transitions: { paid_at: null },
    customer_email: 'owner@example.com',
    hosted_invoice_url: `https://invoice.stripe.com/i/${invoice.id}`,
    invoice_pdf: null,
    metadata: invoice.metadata,
    payments: {
      object: 'list',
      data:
        invoice.paymentIntent === null
          ? []
          : [{ is_default: true, payment: { type: 'payment_intent', payment_intent: invoice.paymentIntent } }],
    },
  });
  const no = (status: number, error: Record<string, string>): [number, unknown] => [status, { error }];
  const missing = no(404, { type: 'invalid_request_error', code: 'resource_missing', message: 'No such object' });
  const marksIn = (body: Fields): Record<string, string> =>
    Object.fromEntries(
      Object.entries(body).flatMap(([name, value]) => {
        const key = /^metadata\[(\w+)\]$/.exec(name)?.[1];
        return key === undefined ? [] : [[key, value]];
      }),
    );

  const pay = (invoice: StandInInvoice, paymentMethod: string): [number, unknown] => {
    if (invoice.status !== 'open')
      return no(400, {
        type: 'invalid_request_error',
        code: 'invoice_not_editable',
        message: `it is ${invoice.status}`,
      });
    const card = detached.includes(paymentMethod) ? undefined : cards.get(paymentMethod);
    if (card === undefined) return missing;
    if (card !== 'works') return no(402, { type: 'card_error', message: 'declined', ...card });
    invoice.status = 'paid';
    invoice.amountPaid = dueOf(invoice);
    charges.push({ invoice: invoice.id, paymentMethod, cents: invoice.amountPaid });
    return [200, shown(invoice)];
  };

  const act = (method: string, path: string, body: Fields): [number, unknown] => {
    const [, , what = '', id = '', deed = ''] = path.split('/');
    if (what === 'payment_methods' && deed === 'detach') {
      if (!cards.has(id) || detached.includes(id)) return missing;
      detached.push(id);
      return [200, { id, object: 'payment_method' }];
    }
    if (what === 'invoiceitems') {
      const invoice = invoices.get(body['invoice'] ?? '');
      if (invoice?.status !== 'draft') return missing;
      invoice.subtotal += Number(body['amount']);
      return [200, { id: `ii_${++made}`, object: 'invoiceitem' }];
    }
    if (what === 'invoices' && id === '') {
      const invoice: StandInInvoice = {
        id: `in_${++made}`,
        customer: body['customer'] ?? '',
        status: 'draft',
        subtotal: 0,
        discountCents: body['discounts'] === '' ? 0 : discountCents,
        taxCents,
        amountPaid: 0,
        metadata: marksIn(body),
        paymentIntent: null,
      };
      invoices.set(invoice.id, invoice);
      return [200, shown(invoice)];
    }
    const invoice = invoices.get(id);
    if (what !== 'invoices' || !invoice) return missing;
    if (method === 'GET') return [200, shown(invoice)];
    if (method === 'DELETE') invoices.delete(id);
    else if (deed === 'finalize') {
      // Nothing is left to pay: it is paid, by no payment.
      invoice.status = dueOf(invoice) === 0 ? 'paid' : 'open';
      if (invoice.status === 'open') invoice.paymentIntent = `pi_${invoice.id}_${crypto.randomUUID()}`;
    } else if (deed === 'void') {
      if (invoice.status !== 'open')
        return no(400, { type: 'invalid_request_error', message: `it is ${invoice.status}` });
      invoice.status = 'void';
    } else if (deed === 'pay') return pay(invoice, body['payment_method'] ?? '');
    else Object.assign(invoice.metadata, marksIn(body));
    return [200, shown(invoice)];
  };

  /** As `finalize`, `pay`, `create` …, by which faults are asked for. */
  const nameOf = (method: string, path: string): string => {
    const [, , what = '', id = '', deed = ''] = path.split('/');
    if (deed) return deed;
    if (what === 'invoiceitems') return 'item';
    if (method === 'GET') return 'read';
    return id === '' ? 'create' : method === 'DELETE' ? 'delete' : 'mark';
  };

  const answer = async (url: URL, init: RequestInit): Promise<Response> => {
    const method = init.method ?? 'GET';
    const name = nameOf(method, url.pathname);
    calls.push(name);
    await meanwhile(name);
    const fault = faults.get(name)?.shift();
    if (fault === 'down') throw new TypeError('the network was lost');
    const request = `${method} ${url.pathname} ${String(init.body ?? '')}`;
    const key = method === 'POST' ? new Headers(init.headers as HeadersInit).get('idempotency-key') : null;
    const before = key === null ? undefined : replies.get(key);
    if (before && before.request !== request)
      return Response.json({ error: { type: 'idempotency_error', message: 'another request' } }, { status: 400 });
    const fields = Object.fromEntries(new URLSearchParams(String(init.body ?? '')));
    const unknown = unknownField(name, fields);
    if (unknown !== undefined)
      return Response.json(
        { error: { type: 'invalid_request_error', code: 'parameter_unknown', param: unknown } },
        { status: 400 },
      );
    const [status, body] = before
      ? [before.status, JSON.parse(before.body) as unknown]
      : act(method, url.pathname, fields);
    const said: [number, unknown] =
      fault === 'broken' ? no(500, { type: 'api_error', message: 'broken' }) : [status, body];
    if (key !== null && !before) replies.set(key, { request, status: said[0], body: JSON.stringify(said[1]) });
    if (fault === 'lost') throw new TypeError('the answer was lost');
    return Response.json(said[1], { status: said[0] });
  };

  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init = {}) => {
    const url = new URL(String(input));
    if (url.host !== 'api.stripe.com') throw new Error(`nobody answers at ${url.host}`);
    return answer(url, init);
  });

  return {
    invoices,
    charges,
    detached,
    calls,
    /** Of a card; `works` is charged. */
    addCard: (paymentMethod: string, card: Refusal | 'works' = 'works'): void => void cards.set(paymentMethod, card),
    /** The next calls of that name. */
    fail: (name: string, ...next: readonly Fault[]): void => void faults.set(name, [...next]),
    /** Before any call is answered. */
    during: (work: (call: string) => Promise<void>): void => {
      meanwhile = work;
    },
    /** Stripe forgets keys after 24 hours. */
    forgetKeys: (): void => replies.clear(),
    /** As Stripe tells it in an event. */
    invoiceObject: (id: string): Record<string, unknown> => {
      const invoice = invoices.get(id);
      if (!invoice) throw new Error(`no invoice ${id}`);
      const { payments: _, ...told } = shown(invoice);
      return told;
    },
  };
};
