import type { AuditRow } from '../../../../shared/portal-api.ts';

/** What an action of the audit log is called on the page; an unknown one is shown as it is. */
const names: Readonly<Record<string, string>> = {
  'access.registered': 'Registered',
  'access.signed_in': 'Signed in',
  'access.sign_in_failed': 'Failed to sign in',
  'access.session_ended': 'Ended a session',
  'access.other_sessions_ended': 'Ended all other sessions',
  'access.password_changed': 'Changed the password',
  'access.password_reset': 'Reset the password',
  'access.address_asked': 'Asked for another email address',
  'access.address_changed': 'Changed the email address',
  'access.two_factor_on': 'Switched two-factor sign-in on',
  'access.two_factor_off': 'Switched two-factor sign-in off',
  'access.recovery_codes_made': 'Made new recovery codes',
  'access.passkey_added': 'Added a passkey',
  'access.passkey_removed': 'Removed a passkey',
  'keys.made': 'Made a key',
  'keys.changed': 'Changed a key',
  'keys.rolled': 'Rolled a key',
  'keys.revoked': 'Revoked a key',
  'keys.webhook_secret_rotated': 'Replaced the webhook secret',
  'money.purchase': 'Bought credits',
  'money.test_purchase': 'Bought credits (test)',
  'money.refund': 'Refunded',
  'money.refund_failed': 'Refund failed',
  'money.dispute': 'Payment disputed',
  'money.dispute_returned': 'Dispute returned',
  'money.forfeited': 'Gave up credits',
  'money.alert_changed': 'Changed the low-balance mail',
  'money.card_saved': 'Saved a card',
  'money.card_removed': 'Removed the card',
  'money.top_up_on': 'Switched automatic top-up on',
  'money.top_up_off': 'Switched automatic top-up off',
  'money.top_up_paused': 'Automatic top-up paused',
  'members.invited': 'Invited a member',
  'members.invited_again': 'Sent an invitation again',
  'members.invitation_withdrawn': 'Withdrew an invitation',
  'members.joined': 'Joined the account',
  'members.role_changed': 'Changed a role',
  'members.removed': 'Removed a member',
  'members.left': 'Left the account',
  'data.deleted': 'Deleted data',
  'data.retention_changed': 'Changed how long data is kept',
  'data.account_deleted': 'Deleted the account',
  'operator.account_opened': 'Opened the account',
  'operator.key_made': 'Made a key',
  'operator.key_revoked': 'Revoked a key',
  'operator.ledger_read': 'Read the ledger',
};
export const eventName = (action: string): string => names[action] ?? action;

const actors: Readonly<Record<string, string>> = {
  owner: 'Owner',
  key: 'API key',
  somebody: 'Somebody',
  payments: 'Payments',
  operator: 'Operator',
};

/** `ownId`: of who looks. A member whose user is gone has an id and no address. */
export const actorName = (
  { actor, member, member_id }: Pick<AuditRow, 'actor' | 'member' | 'member_id'>,
  ownId: string,
): string => {
  if (member_id === null) return actors[actor] ?? actor;
  return member_id === ownId ? 'You' : (member ?? 'Former user');
};
