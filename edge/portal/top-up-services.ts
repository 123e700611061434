/** Who charges saved cards, and who tells the owner of it. */
import type { FetchCredits, TellTopUp, TopUpServices } from '../account/top-up/port.ts';
import { auditRecorder } from '../audit/record.ts';
import { readInvoice } from '../payments/event.ts';
import { recordEvent } from '../payments/settle.ts';
import { stripeReader } from '../payments/stripe-client.ts';
import { testCards } from '../payments/test-cards.ts';
import { intentOf, stripeCards } from '../payments/top-up.ts';
import type { Services } from '../ports.ts';
import { mailSender } from './mail.ts';
import { stripeWebhook, WEBHOOK_PATH } from './routes/stripe-webhook.ts';
import { type PortalBindings, type PortalSettings, portalSettings } from './settings.ts';
import { settleDeps } from './settle-deps.ts';
import { mailMembers } from './team/mail-members.ts';
import { topUpMail } from './top-up-mails.ts';

export const topUpServices = (env: PortalBindings, services: Services): TopUpServices => {
  const settings = portalSettings(env);
  const { checkout } = settings;
  const cards = checkout.kind === 'stripe' ? stripeCards(checkout) : localCards(env, settings, services);
  return { cards, tell: teller(env, settings, services), fetchCredits: creditsFetcher(env, settings, services) };
};

/** What no delivery and no re-drive has told. A test card's charge counts only once its event was delivered. */
export const creditsFetcher = (
  { DB }: Pick<PortalBindings, 'DB'>,
  settings: PortalSettings,
  services: Parameters<typeof settleDeps>[1],
): FetchCredits => {
  const { checkout, local } = settings;
  if (checkout.kind !== 'stripe') return async () => null;
  return async (invoiceId) => {
    const invoice = await stripeReader(checkout.secretKey).invoice(invoiceId);
    const paymentIntent = invoice && (invoice.metadata?.['payment_intent'] ?? intentOf(invoice));
    if (!paymentIntent || !(local || invoice.livemode)) return null;
    const marked = { ...invoice, metadata: { ...invoice.metadata, payment_intent: paymentIntent } };
    const paidAtMs = (invoice.status_transitions.paid_at ?? invoice.created) * 1_000;
    await recordEvent(readInvoice(marked, paidAtMs), settleDeps(DB, services, settings));
    return paymentIntent;
  };
};

/** Local mode: what Stripe would tell goes to the handler that Stripe calls. */
const localCards = (env: PortalBindings, settings: PortalSettings, services: Services): TopUpServices['cards'] => {
  const { nowMs } = services.clock;
  const webhook = stripeWebhook({ db: env.DB, services, settings });
  return testCards(settings.stripeWebhookSecrets[0], nowMs, async ({ body, signature }) => {
    const headers = { 'stripe-signature': signature, 'content-type': 'application/json' };
    const answer = await webhook.request(WEBHOOK_PATH, { method: 'POST', headers, body });
    if (!answer.ok) throw new Error(`the webhook answered ${answer.status} to a test event`);
  });
};

/** Throws unless the mail API took the mail. A notice is one mail, as far as the API remembers its Idempotency-Key. */
const teller = (env: PortalBindings, settings: PortalSettings, { clock }: Services): TellTopUp => {
  const send = mailSender(settings, env.DB);
  const audit = auditRecorder(env.DB, clock.nowMs);
  return async (accountId, notice) => {
    const once = `top-up/${accountId}/${notice.notice}`;
    if (notice.what !== 'charged')
      await audit({ of: { accountId }, actor: 'payments', action: 'money.top_up_paused', detail: notice.what, once });
    return mailMembers(env.DB, send, {
      accountId,
      roles: ['owner', 'billing'],
      mailTo: (email) => topUpMail(email, notice, `${settings.publicBaseUrl}/billing`),
      once,
    });
  };
};
