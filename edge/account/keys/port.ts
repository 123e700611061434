/** What an account does with its API keys. */
import type { KeyMode } from '../../../shared/api-key.ts';
import type { Exceeded, KeyGrants } from './grants.ts';

/** A key as it may be shown: its secrets are not stored. `lastUsedAtMs` is exact to a minute. */
export type KeyRow = KeyGrants & {
  readonly keyId: string;
  readonly mode: KeyMode;
  readonly label: string;
  /** Of its newest secret, e.g. `packshot_live_…9fQ2`. */
  readonly masked: string;
  readonly createdAtMs: number;
  readonly lastUsedAtMs: number | null;
  readonly revokedAtMs: number | null;
  /** The key that made it; null: made in the portal. */
  readonly createdBy: string | null;
  /** Credits of this UTC day that count against its cap, of keys it made too; 0 without a cap. */
  readonly creditsOfDay: number;
  /** Until when a secret that was replaced still works; null: none does. */
  readonly replacedUntilMs: number | null;
};
/** `by`: the key that makes it, of which it gets what `grants` leaves open. */
export type NewKey = Pick<KeyRow, 'keyId' | 'mode' | 'label' | 'masked'> & {
  readonly hash: string;
  readonly grants?: Partial<KeyGrants>;
  readonly by?: string | undefined;
};
export type KeyChange = { readonly label?: string | undefined; readonly grants?: Partial<KeyGrants> };
export type NewSecret = { readonly hash: string; readonly masked: string; readonly overlapMs: number };

/** `by` may not do this: the key has or would have more than `by` itself. */
export type GrantsExceeded = { readonly result: 'grants_exceeded'; readonly exceeded: readonly Exceeded[] };
export type Added =
  | { readonly result: 'added'; readonly key: KeyRow }
  | { readonly result: 'too_many_keys' | 'unknown_account' }
  | GrantsExceeded;
/** `not_usable`: the key was revoked or has expired. */
export type Changed<Result extends string> =
  | { readonly result: Result; readonly key: KeyRow }
  | { readonly result: 'unknown_key' | 'not_usable' }
  | GrantsExceeded;
export type Revoked = 'revoked' | 'already_revoked' | 'unknown_key';

/** Every method may be repeated and then changes nothing. `by`: the key that asks, where it is not the account's owner. */
export type KeysPort = {
  addKey(key: NewKey): Promise<Added>;
  /** Newest first. */
  listKeys(): Promise<readonly KeyRow[]>;
  /** Takes effect with the next request; a cap counts what the key has held on this UTC day already. */
  changeKey(keyId: string, change: KeyChange, by?: string): Promise<Changed<'changed'>>;
  /**
   * Gives the key another secret. Those before go on for `overlapMs` at most, and not at all where it is 0. What a key
   * has done stays its own: batches, Idempotency-Keys, what it spent.
   */
  rollKey(keyId: string, secret: NewSecret, by?: string): Promise<Changed<'rolled'>>;
  /**
   * Takes effect with the next request; the key's open batches are ended soon after, and its links within
   * `limits.downloads.deadWithinMs`.
   */
  revokeKey(keyId: string, by?: string): Promise<{ readonly result: Revoked } | GrantsExceeded>;
  /** Also for a key that is not known. */
  isRevoked(keyId: string): Promise<boolean>;
};
