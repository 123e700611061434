/** What the portal's mails say. */
import { edgeLimits } from '../limits.ts';
import type { Mail } from './mail.ts';

const minutes = Math.round(edgeLimits.portal.mailLinkSeconds / 60);

export const verificationMail = (to: string, url: string): Mail => ({
  to,
  subject: 'Confirm your mail address',
  text: `Welcome to packshot.\n\nConfirm your mail address to open your account:\n\n${url}\n\nThe link works for ${minutes} minutes. If you did not register, ignore this mail; nothing happens.\n`,
});

export const alreadyRegisteredMail = (to: string, signInUrl: string): Mail => ({
  to,
  subject: 'You already have an account',
  text: `Somebody, perhaps you, tried to register with this mail address, which already has an account.\n\nSign in, or reset the password there:\n\n${signInUrl}\n\nIf it was not you, nothing needs to be done.\n`,
});

export const resetMail = (to: string, url: string): Mail => ({
  to,
  subject: 'Choose a new password',
  text: `Choose a new password:\n\n${url}\n\nThe link works once, for ${minutes} minutes. If you did not ask for it, ignore this mail; your password stays as it is.\n`,
});

export const passwordChangedMail = (to: string): Mail => ({
  to,
  subject: 'Your password was changed',
  text: 'The password of your packshot account was changed and other sessions were signed out.\n\nIf it was not you, reset the password at once from the sign-in page.\n',
});
