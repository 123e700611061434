/** Tells owners and developers of an account by mail, and the audit log, that a webhook endpoint was disabled for being dead. */
import type { DeliveryServices } from '../account/webhook-deliveries/deliveries.ts';
import type { RecordAudit } from '../audit/record.ts';
import { mailSender } from './mail.ts';
import { endpointDisabledMail } from './mail-texts.ts';
import { type PortalBindings, portalSettings } from './settings.ts';
import { addressesOf } from './team/members.ts';

const reasons = { gone: 'answered 410', failing: 'accepted nothing for days' } as const;

/** Throws unless the mail API took every mail; all are sent again then. To each, one mail for an endpoint and time. */
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
    const told = await addressesOf(env.DB, accountId, ['owner', 'developer']);
    const page = `${settings.publicBaseUrl}/webhooks`;
    const sent = await Promise.allSettled(
      told.map(({ email, userId }) =>
        send({ ...endpointDisabledMail(email, endpoint, page), once: `${once}/${userId}` }),
      ),
    );
    // One address that takes no mail must not keep the others from theirs.
    const failed = sent.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  };
};
