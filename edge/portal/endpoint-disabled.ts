/** Tells owners and developers of an account by mail, and the audit log, that a webhook endpoint was disabled for being dead. */
import type { DeliveryServices } from '../account/webhook-deliveries/deliveries.ts';
import type { RecordAudit } from '../audit/record.ts';
import { mailSender } from './mail.ts';
import { endpointDisabledMail } from './mail-texts.ts';
import { type PortalBindings, portalSettings } from './settings.ts';
import { mailMembers } from './team/mail-members.ts';

const reasons = { gone: 'answered 410', failing: 'accepted nothing for days' } as const;

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
    await mailMembers(env.DB, send, {
      accountId,
      roles: ['owner', 'developer'],
      mailTo: (email) => endpointDisabledMail(email, endpoint, `${settings.publicBaseUrl}/webhooks`),
      once,
    });
  };
};
