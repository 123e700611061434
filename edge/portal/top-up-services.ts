/** Who charges saved cards, and who tells the owner of it. */
import type { TellTopUp, TopUpServices } from '../account/top-up/port.ts';
import { auditRecorder } from '../audit/record.ts';
import { testCards } from '../payments/test-cards.ts';
import { stripeCards } from '../payments/top-up.ts';
import type { Services } from '../ports.ts';
import { mailSender } from './mail.ts';
import { stripeWebhook, WEBHOOK_PATH } from './routes/stripe-webhook.ts';
import { type PortalBindings, type PortalSettings, portalSettings } from './settings.ts';
import { addressesOf } from './team/members.ts';
import { topUpMail } from './top-up-mails.ts';

export const topUpServices = (env: PortalBindings, services: Services): TopUpServices => {
  const settings = portalSettings(env);
  const { checkout } = settings;
  return {
    cards: checkout.kind === 'stripe' ? stripeCards(checkout) : localCards(env, settings, services),
    tell: teller(env, settings, services),
  };
};

/** Local mode: what Stripe would tell goes to the handler that Stripe calls. */
const localCards = (env: PortalBindings, settings: PortalSettings, services: Services): TopUpServices['cards'] => {
  const { nowMs } = services.clock;
  const webhook = stripeWebhook({ db: env.DB, services, settings, audit: auditRecorder(env.DB, nowMs) });
  return testCards(settings.stripeWebhookSecrets[0], nowMs, async ({ body, signature }) => {
    const headers = { 'stripe-signature': signature, 'content-type': 'application/json' };
    const answer = await webhook.request(WEBHOOK_PATH, { method: 'POST', headers, body });
    if (!answer.ok) throw new Error(`the webhook answered ${answer.status} to a test event`);
  });
};

/** Throws unless the mail API took every mail. To each, a notice is one mail, as far as the API remembers its Idempotency-Key. */
const teller = (env: PortalBindings, settings: PortalSettings, { clock }: Services): TellTopUp => {
  const send = mailSender(settings, env.DB);
  const audit = auditRecorder(env.DB, clock.nowMs);
  return async (accountId, notice) => {
    const once = `top-up/${accountId}/${notice.notice}`;
    if (notice.what !== 'charged')
      await audit({ of: { accountId }, actor: 'payments', action: 'money.top_up_paused', detail: notice.what, once });
    const told = await addressesOf(env.DB, accountId, ['owner', 'billing']);
    if (told.length === 0) return 'nobody';
    const url = `${settings.publicBaseUrl}/billing`;
    const sent = await Promise.allSettled(
      told.map(({ email, userId }) => send({ ...topUpMail(email, notice, url), once: `${once}/${userId}` })),
    );
    // One address that takes no mail must not keep the others from theirs.
    const failed = sent.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
    return 'told';
  };
};
