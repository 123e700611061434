/** What the portal's mails say. */

import { usdString } from '../../shared/credits.ts';
import { limits } from '../../shared/limits.ts';
import type { BalanceCrossing } from '../account/alerts-port.ts';
import type { DisabledEndpoint } from '../account/webhook-deliveries/deliveries.ts';
import { edgeLimits } from '../limits.ts';
import type { Mail } from './mail.ts';

const minutes = Math.round(edgeLimits.portal.mailLinkSeconds / 60);

export const signUpMail = (to: string, url: string): Mail => ({
  to,
  subject: 'Confirm your mail address',
  text: `Welcome to packshot.\n\nConfirm your mail address and choose a password:\n\n${url}\n\nThe link works once, for ${minutes} minutes. If you did not register, ignore this mail: no account is made.\n`,
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

const IF_NOT_YOU =
  'If it was not you: reset your password from the sign-in page, which ends every session and every open link, then look through your keys and the activity of your account.';

export const passwordChangedMail = (to: string): Mail => ({
  to,
  subject: 'Your password was changed',
  text: `The password of your packshot account was changed. Other sessions were signed out, and earlier links to reset the password no longer work.\n\n${IF_NOT_YOU}\n`,
});

export const addressMail = (to: string, url: string): Mail => ({
  to,
  subject: 'Confirm your new mail address',
  text: `Somebody, probably you, wants to use this mail address for a packshot account.\n\nConfirm it:\n\n${url}\n\nThe link works once, for ${minutes} minutes. If it was not you, ignore this mail; nothing changes.\n`,
});

export const addressAskedMail = (to: string, address: string): Mail => ({
  to,
  subject: 'A new mail address was asked for',
  text: `Somebody, probably you, asked to change the mail address of your packshot account to ${address}. Nothing changes until a link that was mailed there is opened.\n\n${IF_NOT_YOU}\n`,
});

export const addressChangedMail = (to: string, address: string): Mail => ({
  to,
  subject: 'Your mail address was changed',
  text: `The mail address of your packshot account is now ${address}. This address no longer signs in, and gets no more mails of ours.\n\nIf it was not you, answer at once to the contact in our security policy, and keep this mail: it shows that the account was yours.\n`,
});

const minuteOf = (atMs: number): string => new Date(atMs).toISOString().slice(0, 16).replace('T', ' at ');

const credits = (n: number): string => `${n.toLocaleString('en-US')} ${n === 1 ? 'credit' : 'credits'}`;

/** The same for each try, or the mail API would take it for another mail. */
export const lowBalanceMail = (
  to: string,
  { level, balance, atMs }: BalanceCrossing,
  url: string,
): Omit<Mail, 'once'> => ({
  to,
  subject: `Your balance fell to ${credits(balance)}`,
  text: `The balance of your packshot account fell to ${credits(balance)} (${usdString(balance)}) on ${minuteOf(atMs)} UTC. You asked to be told at ${credits(level)}.\n\nThe balance counts every credit that is not used yet, those that running images hold too. Buy more, or change the level:\n\n${url}\n\nYou are told again after the balance has been above the level.\n`,
});

const DAY_MS = 86_400_000;

/** The same for each try, as `lowBalanceMail`. */
export const endpointDisabledMail = (
  to: string,
  { url, why, atMs }: DisabledEndpoint,
  page: string,
): Omit<Mail, 'once'> => ({
  to,
  subject: 'A webhook endpoint was disabled',
  text: `${
    why === 'gone'
      ? 'A webhook endpoint of your packshot account answered 410 Gone, which asks for no more events.'
      : `A webhook endpoint of your packshot account has accepted nothing for ${limits.webhookEndpoints.failingMsMax / DAY_MS} days.`
  } It was disabled on ${minuteOf(atMs)} UTC and gets no events any more:

${url}

Images are processed as before. See the deliveries that failed, and enable it again:

${page}

Events that it missed are not sent by themselves; the page sends single ones again.
`,
});

/** `what`: a whole sentence of what was done. */
export const securityMail = (to: string, subject: string, what: string): Mail => ({
  to,
  subject,
  text: `${what}\n\n${IF_NOT_YOU}\n`,
});
