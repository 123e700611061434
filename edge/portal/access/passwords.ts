/** Asking somebody signed in for the password again, before what cannot be taken back. */
import { APIError } from 'better-auth/api';
import type { PortalDeps } from '../deps.ts';
import { refuse, refuseForNow, type SignedIn } from '../guard.ts';
import { passwordWait } from './sign-in-limit.ts';

/** Undefined where the password is right; the refusal otherwise. Tries are counted: a session may be a stolen one. */
export const checkPassword = async (
  { auth, db, services }: PortalDeps,
  { userId }: SignedIn,
  password: string,
  headers: Headers,
): Promise<Response | undefined> => {
  const wait = await passwordWait(db, userId, services.clock.nowMs());
  if (wait.waitMs > 0) return refuseForNow('rate_limited', 'Too many attempts. Try again later.', wait);
  try {
    if ((await auth.api.verifyPassword({ body: { password }, headers })).status) return undefined;
  } catch (error) {
    // Only the library's own refusal means a wrong password; anything else is a bug.
    if (!(error instanceof APIError)) throw error;
  }
  return refuse(400, 'invalid_password', 'The password is wrong.');
};
