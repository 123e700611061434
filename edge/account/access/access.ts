/**
 * Who may come in: the key by its hash, alive, from where and for what it may be used, one token of the account's rate,
 * and a slot for each upload that runs. A stolen key that is kept out by its address takes nothing of the rate. Rate and
 * slots live in memory: an object that was evicted has had no request for longer than they matter.
 */
import { limits } from '../../../shared/limits.ts';
import { edgeLimits } from '../../limits.ts';
import { isWithin } from '../keys/addresses.ts';
import { type AccessRow, keyByHash, keyOfOwner, noteUse } from '../keys/rows.ts';
import { type Bucket, fullBucket, take } from '../rate.ts';
import type { AuthenticateReply, AuthenticateRequest } from './port.ts';

const isOver = ({ expiresAtMs, secretEndsAtMs }: AccessRow, nowMs: number): boolean =>
  (expiresAtMs ?? Number.POSITIVE_INFINITY) <= nowMs || (secretEndsAtMs ?? Number.POSITIVE_INFINITY) <= nowMs;

export const createAccess = (sql: SqlStorage, now: () => number, available: () => number) => {
  let bucket: Bucket | undefined;
  const slots = new Map<string, number>();

  const takeSlot = (slot: string, nowMs: number): boolean => {
    for (const [running, endsAtMs] of slots) if (endsAtMs <= nowMs) slots.delete(running);
    if (slots.size >= limits.rate.uploadsInFlightMax) return false;
    slots.set(slot, nowMs + edgeLimits.upload.slotMsMax);
    return true;
  };

  return {
    authenticate: ({ slot, scope, address, ...who }: AuthenticateRequest): AuthenticateReply => {
      const nowMs = now();
      const key = 'hash' in who ? keyByHash(sql, who.hash) : keyOfOwner(sql, who.keyId);
      if (!key) return { result: 'unknown' };
      if (key.revokedAtMs !== null) return { result: 'revoked' };
      const { keyId, mode } = key;
      if (isOver(key, nowMs)) return { result: 'expired', keyId };
      if (key.allowedIps !== null && !isWithin(key.allowedIps, address ?? ''))
        return { result: 'address_not_allowed', keyId };
      const taken = take(bucket ?? fullBucket(nowMs), nowMs);
      bucket = taken.bucket;
      const { rate } = taken;
      if (!taken.allowed) return { result: 'rate_limited', keyId, rate };
      if (scope !== undefined && !key.scopes.includes(scope)) return { result: 'scope_missing', keyId, rate };
      if (slot !== undefined && !takeSlot(slot, nowMs)) return { result: 'too_many_uploads', keyId, rate };
      noteUse(sql, key, nowMs);
      return { result: 'authenticated', keyId, mode, available: available(), rate };
    },
    releaseSlot: (slot: string): void => void slots.delete(slot),
  };
};
