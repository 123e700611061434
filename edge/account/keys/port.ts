/** What an account does with its API keys. */
import type { KeyMode } from '../../../shared/api-key.ts';

/** A key as the portal may show it: the secret itself is not stored. `lastUsedAtMs` is exact to a minute. */
export type KeyRow = {
  readonly keyId: string;
  readonly mode: KeyMode;
  readonly label: string;
  /** e.g. `sk_live_…9fQ2` */
  readonly masked: string;
  readonly createdAtMs: number;
  readonly lastUsedAtMs: number | null;
  readonly revokedAtMs: number | null;
};
export type NewKey = Pick<KeyRow, 'keyId' | 'mode' | 'label' | 'masked'> & { readonly hash: string };
export type Revoked = 'revoked' | 'already_revoked' | 'unknown_key';

export type KeysPort = {
  /** Repeated for the same key id, it changes nothing. */
  addKey(key: NewKey): Promise<{ readonly result: 'added' | 'too_many_keys' | 'unknown_account' }>;
  /** Newest first. */
  listKeys(): Promise<readonly KeyRow[]>;
  renameKey(keyId: string, label: string): Promise<{ readonly result: 'renamed' | 'unknown_key' }>;
  /**
   * Takes effect with the next request; the key's open batches are ended soon after, and its links within
   * `limits.downloads.deadWithinMs`.
   */
  revokeKey(keyId: string): Promise<{ readonly result: Revoked }>;
  /** Also for a key that is not known. */
  isRevoked(keyId: string): Promise<boolean>;
};
