/** Tells those who look after an account's money by mail that its balance is low. */
import type { TellCrossing } from '../account/alerts-port.ts';
import { mailSender } from './mail.ts';
import { lowBalanceMail } from './mail-texts.ts';
import { type PortalBindings, portalSettings } from './settings.ts';
import { mailMembers } from './team/mail-members.ts';

export const lowBalanceMailer = (env: PortalBindings): TellCrossing => {
  const settings = portalSettings(env);
  const send = mailSender(settings, env.DB);
  return (accountId, crossing) =>
    mailMembers(env.DB, send, {
      accountId,
      roles: ['owner', 'billing'],
      mailTo: (email) => lowBalanceMail(email, crossing, `${settings.publicBaseUrl}/billing`),
      once: `low-balance/${accountId}/${crossing.crossing}`,
    });
};
