/** Tells those who look after an account's money by mail that its balance is low. */
import type { TellCrossing } from '../account/alerts-port.ts';
import { mailSender } from './mail.ts';
import { lowBalanceMail } from './mail-texts.ts';
import { type PortalBindings, portalSettings } from './settings.ts';
import { addressesOf } from './team/members.ts';

/** Throws unless the mail API took every mail; all are sent again then. To each, a crossing is one mail, as far as the API remembers its Idempotency-Key. */
export const lowBalanceMailer = (env: PortalBindings): TellCrossing => {
  const settings = portalSettings(env);
  const send = mailSender(settings, env.DB);
  return async (accountId, crossing) => {
    const told = await addressesOf(env.DB, accountId, ['owner', 'billing']);
    if (told.length === 0) return 'nobody';
    const url = `${settings.publicBaseUrl}/billing`;
    const sent = await Promise.allSettled(
      told.map(({ email, userId }) =>
        send({
          ...lowBalanceMail(email, crossing, url),
          once: `low-balance/${accountId}/${crossing.crossing}/${userId}`,
        }),
      ),
    );
    // One address that takes no mail must not keep the others from theirs.
    const failed = sent.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
    return 'told';
  };
};
