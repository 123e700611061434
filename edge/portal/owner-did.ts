/**
 * What somebody signed in did in the portal: a line of the audit log, and a mail where it is about access. What was done
 * to an account is in its log and told to its owners; what people do to their own sign-in is in that of their own account.
 */
import type { Context } from 'hono';
import { type AuditEvent, clientOf } from '../audit/record.ts';
import { edgeLimits } from '../limits.ts';
import { countWithin } from './counters.ts';
import type { PortalDeps } from './deps.ts';
import type { PortalContext } from './guard.ts';
import { sendAll } from './mail.ts';
import { securityMail, teamMail } from './mail-texts.ts';
import { addressesOf } from './team/members.ts';

type Deed = Pick<AuditEvent, 'action' | 'subject' | 'detail'>;
/** `what`: a whole sentence. No secret goes into a mail. */
type Told = { readonly subject: string; readonly what: string };
type Deps = Pick<PortalDeps, 'audit' | 'sendMail' | 'afterResponse' | 'db' | 'services'>;

const { tellings } = edgeLimits.portal.team;
/** Labels and names are what members type: none may look like more than a part of its sentence. */
const oneLine = (text: string): string => text.replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ');
const MANY: Told = {
  subject: 'Much is being changed in your account',
  what: 'So much was changed in your packshot account within an hour that no more mails are sent about it before the hour is over. The page Activity shows everything.',
};

/** Undefined beyond the mails of an hour, of which the last one says so: no member can flood an owner's mailbox. */
const toldOf = async ({ db, services }: Deps, accountId: string, told: Told): Promise<Told | undefined> => {
  const nowMs = services.clock.nowMs();
  if ((await countWithin(db, `told:${accountId}`, tellings, nowMs)).waitMs === 0)
    return { ...told, what: oneLine(told.what) };
  const isFirst = (await countWithin(db, `told-over:${accountId}`, { ...tellings, max: 1 }, nowMs)).waitMs === 0;
  return isFirst ? MANY : undefined;
};

/** To the session's account, or another that is named, by a member of whatever role. */
export const ownerDid = async (
  deps: Deps,
  c: Context<PortalContext>,
  { accountId = c.get('user').accountId, ...deed }: Deed & { readonly accountId?: string },
  news?: Told,
): Promise<void> => {
  const { audit, sendMail, afterResponse, db } = deps;
  const { userId, email } = c.get('user');
  await audit({ ...deed, of: { accountId }, actor: 'owner', by: userId, client: clientOf(c.req.raw.headers) });
  const told = news && (await toldOf(deps, accountId, news));
  if (!told) return;
  const owners = await addressesOf(db, accountId, ['owner']);
  const mails = owners.map((owner) =>
    owner.userId === userId
      ? securityMail(owner.email, told.subject, told.what)
      : teamMail(owner.email, told.subject, `${told.what} It was ${email} who did it.`),
  );
  await afterResponse(sendAll(sendMail, mails));
};

/** To their own sign-in. */
export const personDid = ({ audit }: Pick<Deps, 'audit'>, c: Context<PortalContext>, deed: Deed): Promise<void> =>
  audit({ ...deed, of: { userId: c.get('user').userId }, actor: 'owner', client: clientOf(c.req.raw.headers) });
