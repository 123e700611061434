/** How an account lets callers in; access.ts does it. */
import type { KeyMode } from '../../../shared/api-key.ts';
import type { KeyScope } from '../../../shared/scopes.ts';
import type { RateState } from '../rate.ts';

/**
 * `slot` marks an upload: it counts as running until it is settled or `releaseSlot` is called, for
 * `edgeLimits.upload.slotMsMax` at most. `scope`: what the request needs; without it any key will do. `address`: the
 * client's, without which a key with an allow-list is refused.
 * `keyId` in place of the hash of a secret: the account's owner, who is signed in, uses the key.
 */
export type AuthenticateRequest = ({ readonly hash: string } | { readonly keyId: string }) & {
  readonly slot?: string;
  readonly scope?: KeyScope;
  readonly address?: string;
};
export type AuthenticateReply =
  | {
      readonly result: 'authenticated';
      readonly keyId: string;
      readonly mode: KeyMode;
      /** Credits. */
      readonly available: number;
      readonly rate: RateState;
    }
  | {
      readonly result: 'rate_limited' | 'too_many_uploads' | 'scope_missing';
      readonly keyId: string;
      readonly rate: RateState;
    }
  /** The key, or this secret of it, has ended; it is not taken from this address. Neither takes of the rate. */
  | { readonly result: 'expired' | 'address_not_allowed'; readonly keyId: string }
  | { readonly result: 'unknown' | 'revoked' };

export type AccessPort = {
  /** Finds the key by its hash and takes one token of the account's rate. */
  authenticate(request: AuthenticateRequest): Promise<AuthenticateReply>;
  releaseSlot(slot: string): Promise<void>;
};
