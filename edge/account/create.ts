/** Opening accounts and making keys. A key is shown once: only its hash and its masked form are kept. */
import { issueApiKey, type KeyMode } from '../../shared/api-key.ts';
import type { Clock } from '../../shared/clock.ts';
import { newId, type RandomBytes } from '../../shared/ids.ts';
import type { KeyRow } from './keys/port.ts';
import type { GrantReason } from './ledger/types.ts';
import type { AccountOf } from './port.ts';

export type CreateDeps = {
  readonly accountOf: AccountOf;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly randomBytes: RandomBytes;
};

/** `apiKey` is the secret itself, which is nowhere else. */
export type KeyCreated =
  | { readonly result: 'added'; readonly key: KeyRow; readonly apiKey: string }
  | { readonly result: 'too_many_keys' | 'unknown_account' };

export const createKey = async (
  { accountOf, clock, randomBytes }: CreateDeps,
  accountId: string,
  mode: KeyMode,
  label: string,
): Promise<KeyCreated> => {
  const nowMs = clock.nowMs();
  const { secret, keyId, masked, hash } = await issueApiKey(mode, accountId, nowMs, randomBytes);
  const key = { keyId, mode, label, masked };
  const { result } = await accountOf(accountId).keys.addKey({ ...key, hash });
  if (result !== 'added') return { result };
  return { result, key: { ...key, createdAtMs: nowMs, lastUsedAtMs: null, revokedAtMs: null }, apiKey: secret };
};

/** A new account with its first credits, if any. */
export const openAccount = async (
  { accountOf, clock, randomBytes }: CreateDeps,
  label: string,
  credits: number,
  reason: GrantReason,
): Promise<string> => {
  const accountId = newId('account', clock.nowMs(), randomBytes);
  const { ledger } = accountOf(accountId);
  await ledger.open({ accountId, label });
  if (credits > 0) await ledger.grant({ id: `opening:${accountId}`, credits, reason });
  return accountId;
};
