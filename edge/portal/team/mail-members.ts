/** One mail to each member in some roles. */
import type { Role } from '../../../shared/roles.ts';
import { type Mail, type SendMail, sendAll } from '../mail.ts';
import { addressesOf } from './members.ts';

type Told = {
  readonly accountId: string;
  readonly roles: readonly Role[];
  readonly mailTo: (email: string) => Mail;
  /** What it tells of: to each member it is one mail, as far as the mail API remembers its Idempotency-Key. */
  readonly once: string;
};

/** Throws unless the mail API took every mail; a repetition sends all of them again. */
export const mailMembers = async (
  db: D1Database,
  send: SendMail,
  { accountId, roles, mailTo, once }: Told,
): Promise<'told' | 'nobody'> => {
  const told = await addressesOf(db, accountId, roles);
  if (told.length === 0) return 'nobody';
  await sendAll(
    send,
    told.map(({ email, userId }) => ({ ...mailTo(email), once: `${once}/${userId}` })),
  );
  return 'told';
};
