/** What the owner of an account did in the portal: a line of the audit log, and a mail where it is about access. */
import type { Context } from 'hono';
import { type AuditEvent, clientOf } from '../audit/record.ts';
import type { PortalDeps } from './deps.ts';
import type { PortalContext } from './guard.ts';
import { securityMail } from './mail-texts.ts';

type Deed = Pick<AuditEvent, 'action' | 'subject' | 'detail'>;
/** `what`: a whole sentence. No secret goes into a mail. */
type Told = { readonly subject: string; readonly what: string };

export const ownerDid = async (
  { audit, sendMail, afterResponse }: Pick<PortalDeps, 'audit' | 'sendMail' | 'afterResponse'>,
  c: Context<PortalContext>,
  deed: Deed,
  told?: Told,
): Promise<void> => {
  const user = c.get('user');
  const { accountId } = user;
  await audit({ ...deed, of: { accountId }, actor: 'owner', client: clientOf(c.req.raw.headers) });
  if (told) await afterResponse(sendMail(securityMail(user.email, told.subject, told.what)));
};
