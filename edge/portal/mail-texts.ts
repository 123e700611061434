/** What the portal's mails say. */

import { usdString } from '../../shared/credits.ts';
import type { Role } from '../../shared/roles.ts';
import type { BalanceCrossing } from '../account/alerts-port.ts';
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

const credits = (n: number): string => `${n.toLocaleString('en-US')} ${n === 1 ? 'credit' : 'credits'}`;

/** The same for each try, or the mail API would take it for another mail. */
export const lowBalanceMail = (
  to: string,
  { level, balance, atMs }: BalanceCrossing,
  url: string,
): Omit<Mail, 'once'> => ({
  to,
  subject: `Your balance fell to ${credits(balance)}`,
  text: `The balance of your packshot account fell to ${credits(balance)} (${usdString(balance)}) on ${new Date(atMs).toISOString().slice(0, 16).replace('T', ' at ')} UTC. You asked to be told at ${credits(level)}.\n\nThe balance counts every credit that is not used yet, those that running images hold too. Buy more, or change the level:\n\n${url}\n\nYou are told again after the balance has been above the level.\n`,
});

/** `what`: a whole sentence of what was done. */
export const securityMail = (to: string, subject: string, what: string): Mail => ({
  to,
  subject,
  text: `${what}\n\n${IF_NOT_YOU}\n`,
});

/** To an owner, of what somebody else did to the account. `what`: as above. */
export const teamMail = (to: string, subject: string, what: string): Mail => ({
  to,
  subject,
  text: `${what}\n\nIf this should not be: remove the member or give them another role on the page Members, then look through the keys and the activity of the account.\n`,
});

const ROLE_TEXTS: Readonly<Record<Role, string>> = {
  owner: 'owner (everything)',
  developer: 'developer (keys, photos, logs, webhooks)',
  billing: 'billing (purchases, receipts, spending)',
};
const days = Math.round(edgeLimits.portal.team.invitationMs / (24 * 60 * 60 * 1000));

/** `by`: a mail address; a name could say anything. */
export const invitationMail = (to: string, { by, role, url }: { by: string; role: Role; url: string }): Mail => ({
  to,
  subject: 'You are invited to a packshot account',
  text: `${by} invites you to their packshot account, as ${ROLE_TEXTS[role]}.\n\nSee the invitation, and accept it there:\n\n${url}\n\nThe link works once, for ${days} days, and is for this address alone: do not pass it on. If you did not expect it, ignore this mail; nothing happens.\n`,
});

/** `what`: a whole sentence. */
export const memberMail = (to: string, what: string): Mail => ({
  to,
  subject: 'Your role was changed',
  text: `${what}\n\nIt holds from your next click on.\n`,
});

export const memberLeftMail = (to: string): Mail => ({
  to,
  subject: 'You were removed from a packshot account',
  text: 'An owner of a packshot account removed you from its members. Your user, your own account and other accounts are as they were.\n',
});

export const registeredByInvitationMail = (to: string): Mail => ({
  to,
  subject: 'Your packshot user was made',
  text: `Somebody, probably you, opened the link of an invitation that was mailed here, and chose a name and a password. You sign in with this address.\n\nIf it was not you: reset the password from the sign-in page, which ends every session, and tell whoever invited you.\n`,
});

/** To members of an account that is no more. */
export const accountDeletedMail = (to: string, by: string): Mail => ({
  to,
  subject: 'A packshot account was deleted',
  text: `${by} deleted the packshot account that you were a member of. Its keys, photos and results are gone. Your user, your own account and other accounts are as they were.\n`,
});
