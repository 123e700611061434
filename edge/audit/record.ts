/**
 * The audit log: what was done to an account, by whom, from where. Appended only; the database itself refuses anything
 * else (migration 0005). No secret, key or token goes into an event.
 */
import { newId } from '../../shared/ids.ts';
import { clientAddress } from '../client-address.ts';
import { errorText, logEvent } from '../log.ts';

export type AuditAction =
  | `access.${'registered' | 'signed_in' | 'sign_in_failed' | 'session_ended' | 'other_sessions_ended'}`
  | `access.${'password_changed' | 'password_reset' | 'address_asked' | 'address_changed'}`
  | `access.${'two_factor_on' | 'two_factor_off' | 'recovery_codes_made' | 'passkey_added' | 'passkey_removed'}`
  | `keys.${'made' | 'changed' | 'rolled' | 'revoked' | 'webhook_secret_rotated'}`
  | `money.${'purchase' | 'test_purchase' | 'refund' | 'refund_failed' | 'dispute' | 'dispute_returned' | 'forfeited' | 'alert_changed'}`
  | `money.${'card_saved' | 'card_removed' | 'top_up_on' | 'top_up_off' | 'top_up_paused'}`
  | `members.${'invited' | 'invited_again' | 'invitation_withdrawn' | 'joined' | 'role_changed' | 'removed' | 'left'}`
  | `data.${'deleted' | 'retention_changed' | 'account_deleted'}`
  | `operator.${'account_opened' | 'key_made' | 'key_revoked' | 'ledger_read'}`;

export type AuditEvent = {
  /** The account's id, or that of the user whose own account it is. */
  readonly of: { readonly accountId: string } | { readonly userId: string };
  /** `owner`: somebody signed in, of whatever role. `key`: an API key that manages keys or data. `somebody`: who tried and failed. */
  readonly actor: 'owner' | 'key' | 'somebody' | 'payments' | 'operator';
  /** The id of the user who did it, where it was one; else it is the user in `of`, if they did it. */
  readonly by?: string;
  readonly action: AuditAction;
  /** The id of what it was done to: a key, a payment, a session. */
  readonly subject?: string;
  /** A few words for people. */
  readonly detail?: string;
  readonly client?: Client;
  /** An event with the same text is recorded once, however often it is told. */
  readonly once?: string;
};

export type Client = { readonly address: string | null; readonly country: string | null };
/** The platform's own headers: a client cannot set them. */
export const clientOf = (headers: Headers | undefined): Client => ({
  address: clientAddress(headers) ?? null,
  country: headers?.get('cf-ipcountry') ?? null,
});

const DETAIL_CHARS_MAX = 200;
const INSERT = `
  insert into audit_events (id, account_id, at, actor, action, subject, detail, address, country, once, user_id)
  select ?1, coalesce(?2, (select account_id from "user" where id = ?3)), ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12
  where true
  on conflict (once) do nothing`;

/** Throws nothing: what cannot be recorded goes to the service's own log, and the deed stands. */
export type RecordAudit = (event: AuditEvent) => Promise<void>;

export const auditRecorder =
  (db: D1Database, nowMs: () => number): RecordAudit =>
  async ({ of, actor, by, action, subject, detail, client, once }) => {
    const at = nowMs();
    const id = newId('audit', at, (n) => crypto.getRandomValues(new Uint8Array(n)));
    const [accountId, userId] = 'accountId' in of ? [of.accountId, null] : [null, of.userId];
    const doer = by ?? (actor === 'owner' ? userId : null);
    const text = detail?.slice(0, DETAIL_CHARS_MAX) ?? null;
    const { address = null, country = null } = client ?? {};
    try {
      await db
        .prepare(INSERT)
        .bind(id, accountId, userId, at, actor, action, subject ?? null, text, address, country, once ?? null, doer)
        .run();
    } catch (error) {
      logEvent('error', 'audit_not_recorded', {
        account_id: accountId,
        user_id: userId,
        action,
        subject,
        error: errorText(error),
      });
    }
  };
