/** Opening accounts and making keys. A secret is shown once: only its hash and its masked form are kept. */
import { issueApiKey, issueSecret, type KeyMode } from '../../shared/api-key.ts';
import type { Clock } from '../../shared/clock.ts';
import { newId, type RandomBytes } from '../../shared/ids.ts';
import type { KeyGrants } from './keys/grants.ts';
import type { Added, Changed, KeyRow } from './keys/port.ts';
import type { GrantReason } from './ledger/types.ts';
import type { AccountOf } from './port.ts';

export type CreateDeps = {
  readonly accountOf: AccountOf;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly randomBytes: RandomBytes;
};

/** `by`: the key that makes it, where that is not the account's owner. */
export type KeyWanted = {
  readonly mode: KeyMode;
  readonly label: string;
  readonly grants?: Partial<KeyGrants>;
  readonly by?: string;
};
/** `apiKey` is the secret itself, which is nowhere else. */
type WithSecret = { readonly key: KeyRow; readonly apiKey: string };
export type KeyCreated = ({ readonly result: 'added' } & WithSecret) | Exclude<Added, { result: 'added' }>;
export type KeyRolled = ({ readonly result: 'rolled' } & WithSecret) | Exclude<Changed<'rolled'>, { result: 'rolled' }>;

export const createKey = async (
  { accountOf, clock, randomBytes }: CreateDeps,
  accountId: string,
  wanted: KeyWanted,
): Promise<KeyCreated> => {
  const { secret, ...issued } = await issueApiKey(wanted.mode, accountId, clock.nowMs(), randomBytes);
  const reply = await accountOf(accountId).keys.addKey({ ...wanted, ...issued });
  return reply.result === 'added' ? { ...reply, apiKey: secret } : reply;
};

/** Another secret for the key; those before go on for `overlapMs`. */
export const rollKey = async (
  { accountOf, randomBytes }: Pick<CreateDeps, 'accountOf' | 'randomBytes'>,
  accountId: string,
  keyId: string,
  overlapMs: number,
  by?: string,
): Promise<KeyRolled> => {
  const { keys } = accountOf(accountId);
  const mode = (await keys.listKeys()).find((key) => key.keyId === keyId)?.mode;
  if (mode === undefined) return { result: 'unknown_key' };
  const { secret, hash, masked } = await issueSecret(mode, accountId, randomBytes);
  const reply = await keys.rollKey(keyId, { hash, masked, overlapMs }, by);
  return reply.result === 'rolled' ? { ...reply, apiKey: secret } : reply;
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
