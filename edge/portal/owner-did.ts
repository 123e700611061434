/**
 * What somebody signed in did in the portal: a line of the audit log, and a mail where it is about access. What was done
 * to an account is in its log and told to its owners; what people do to their own sign-in is in that of their own account.
 */
import type { Context } from 'hono';
import { type AuditEvent, clientOf } from '../audit/record.ts';
import type { PortalDeps } from './deps.ts';
import type { PortalContext } from './guard.ts';
import { securityMail, teamMail } from './mail-texts.ts';
import { addressesOf } from './team/members.ts';

type Deed = Pick<AuditEvent, 'action' | 'subject' | 'detail'>;
/** `what`: a whole sentence. No secret goes into a mail. */
type Told = { readonly subject: string; readonly what: string };
type Deps = Pick<PortalDeps, 'audit' | 'sendMail' | 'afterResponse' | 'db'>;

/** To the session's account, or another that is named, by a member of whatever role. */
export const ownerDid = async (
  { audit, sendMail, afterResponse, db }: Deps,
  c: Context<PortalContext>,
  { accountId = c.get('user').accountId, ...deed }: Deed & { readonly accountId?: string },
  told?: Told,
): Promise<void> => {
  const { userId, email } = c.get('user');
  await audit({ ...deed, of: { accountId }, actor: 'owner', by: userId, client: clientOf(c.req.raw.headers) });
  if (!told) return;
  const owners = await addressesOf(db, accountId, ['owner']);
  const mails = owners.map((owner) =>
    owner.userId === userId
      ? securityMail(owner.email, told.subject, told.what)
      : teamMail(owner.email, told.subject, `${told.what} It was ${email} who did it.`),
  );
  await afterResponse(Promise.all(mails.map(sendMail)));
};

/** To their own sign-in. */
export const personDid = ({ audit }: Pick<Deps, 'audit'>, c: Context<PortalContext>, deed: Deed): Promise<void> =>
  audit({ ...deed, of: { userId: c.get('user').userId }, actor: 'owner', client: clientOf(c.req.raw.headers) });
