/** Tells the owner of an account by mail that its balance is low. */
import type { TellCrossing } from '../account/alerts-port.ts';
import { mailSender } from './mail.ts';
import { lowBalanceMail } from './mail-texts.ts';
import { type PortalBindings, portalSettings } from './settings.ts';

/** Throws unless the mail API took the mail. A crossing is one mail, as far as the API remembers its Idempotency-Key. */
export const lowBalanceMailer = (env: PortalBindings): TellCrossing => {
  const settings = portalSettings(env);
  const send = mailSender(settings, env.DB);
  return async (accountId, crossing) => {
    const owner = await env.DB.prepare('select email from "user" where account_id = ?')
      .bind(accountId)
      .first<{ email: string }>();
    if (!owner) return 'nobody';
    const once = `low-balance/${accountId}/${crossing.crossing}`;
    await send({ ...lowBalanceMail(owner.email, crossing, `${settings.publicBaseUrl}/billing`), once });
    return 'told';
  };
};
