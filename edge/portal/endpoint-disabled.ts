/** Tells the owner of an account, by mail and in the audit log, that a webhook endpoint was disabled for being dead. */
import type { DeliveryServices } from '../account/webhook-deliveries/deliveries.ts';
import type { RecordAudit } from '../audit/record.ts';
import { mailSender } from './mail.ts';
import { endpointDisabledMail } from './mail-texts.ts';
import { type PortalBindings, portalSettings } from './settings.ts';

const reasons = { gone: 'answered 410', failing: 'accepted nothing for days' } as const;

/** Throws unless the mail API took the mail. One mail and one event for each endpoint and time. */
export const endpointDisabledTeller = (env: PortalBindings, audit: RecordAudit): DeliveryServices['tellDisabled'] => {
  const settings = portalSettings(env);
  const send = mailSender(settings, env.DB);
  return async (accountId, endpoint) => {
    const { endpointId, url, why, atMs } = endpoint;
    const once = `webhook-endpoint/${accountId}/${endpointId}/${atMs}`;
    await audit({
      of: { accountId },
      actor: 'operator',
      action: 'webhooks.endpoint_disabled',
      subject: endpointId,
      detail: `${reasons[why]}: ${url}`,
      once,
    });
    const owner = await env.DB.prepare('select email from "user" where account_id = ?')
      .bind(accountId)
      .first<{ email: string }>();
    if (owner)
      await send({ ...endpointDisabledMail(owner.email, endpoint, `${settings.publicBaseUrl}/webhooks`), once });
  };
};
