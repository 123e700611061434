/** A mail to whoever owns the account, about what was done to it. Sent with or after the answer; a failure is logged. */
import type { PortalDeps } from './deps.ts';
import type { SignedIn } from './guard.ts';
import { securityMail } from './mail-texts.ts';

/** `what`: a whole sentence. No secret goes into a mail. */
export const tellOwner = (
  { sendMail, afterResponse }: Pick<PortalDeps, 'sendMail' | 'afterResponse'>,
  { email }: Pick<SignedIn, 'email'>,
  subject: string,
  what: string,
): Promise<void> => afterResponse(sendMail(securityMail(email, subject, what)));
