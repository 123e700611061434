/** How an account lets callers in; access.ts does it. */
import type { KeyMode } from '../../../shared/api-key.ts';
import type { RateState } from '../rate.ts';

/** `slot` marks an upload: it counts as running until it is settled or `releaseSlot` is called, for `edgeLimits.upload.slotMsMax` at most. */
export type AuthenticateRequest = { readonly hash: string; readonly slot?: string };
export type AuthenticateReply =
  | {
      readonly result: 'authenticated';
      readonly keyId: string;
      readonly mode: KeyMode;
      /** Credits. */
      readonly available: number;
      readonly rate: RateState;
    }
  | { readonly result: 'rate_limited' | 'too_many_uploads'; readonly keyId: string; readonly rate: RateState }
  | { readonly result: 'unknown' | 'revoked' };

export type AccessPort = {
  /** Finds the key by its hash and takes one token of the account's rate. */
  authenticate(request: AuthenticateRequest): Promise<AuthenticateReply>;
  releaseSlot(slot: string): Promise<void>;
};
