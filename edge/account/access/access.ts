/**
 * Who may come in: the key by its hash, one token of the account's rate, and a slot for each upload that runs. Rate and
 * slots live in memory: an object that was evicted has had no request for longer than they matter.
 */
import { limits } from '../../../shared/limits.ts';
import { edgeLimits } from '../../limits.ts';
import { keyByHash, noteUse } from '../keys/rows.ts';
import { type Bucket, fullBucket, take } from '../rate.ts';
import type { AuthenticateReply, AuthenticateRequest } from './port.ts';

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
    authenticate: ({ hash, slot }: AuthenticateRequest): AuthenticateReply => {
      const nowMs = now();
      const key = keyByHash(sql, hash);
      if (!key) return { result: 'unknown' };
      if (key.revokedAtMs !== null) return { result: 'revoked' };
      const taken = take(bucket ?? fullBucket(nowMs), nowMs);
      bucket = taken.bucket;
      const { keyId, mode } = key;
      const { rate } = taken;
      if (!taken.allowed) return { result: 'rate_limited', keyId, rate };
      if (slot !== undefined && !takeSlot(slot, nowMs)) return { result: 'too_many_uploads', keyId, rate };
      noteUse(sql, key, nowMs);
      return { result: 'authenticated', keyId, mode, available: available(), rate };
    },
    releaseSlot: (slot: string): void => void slots.delete(slot),
  };
};
