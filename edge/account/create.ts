/** Opening accounts and making keys. A key is shown once: only its hash and its masked form are kept. */
import { hashApiKey, type KeyMode, maskApiKey, newApiKey } from '../../shared/api-key.ts';
import { newId } from '../../shared/ids.ts';
import type { GrantReason } from './ledger/machine.ts';
import type { LedgerPort } from './port.ts';

export type AccountDeps = {
  readonly ledgerOf: (accountId: string) => LedgerPort;
  readonly nowMs: () => number;
  readonly randomBytes: (n: number) => Uint8Array;
};
export type CreatedKey = { readonly keyId: string; readonly apiKey: string; readonly masked: string };

/** Undefined where the account has as many keys as it may, or is unknown. */
export const createKey = async (
  deps: AccountDeps,
  accountId: string,
  mode: KeyMode,
  label: string,
): Promise<CreatedKey | undefined> => {
  const apiKey = newApiKey(mode, accountId, deps.randomBytes);
  const key = { keyId: newId('apiKey', deps.nowMs(), deps.randomBytes), mode, label, masked: maskApiKey(apiKey) };
  const added = await deps.ledgerOf(accountId).addKey({ ...key, hash: await hashApiKey(apiKey) });
  return added.result === 'added' ? { keyId: key.keyId, apiKey, masked: key.masked } : undefined;
};

/** A new account with its first credits, if any. */
export const openAccount = async (
  deps: AccountDeps,
  label: string,
  credits: number,
  reason: GrantReason,
): Promise<string> => {
  const accountId = newId('account', deps.nowMs(), deps.randomBytes);
  const ledger = deps.ledgerOf(accountId);
  await ledger.open({ accountId, label });
  if (credits > 0) await ledger.grant({ id: `opening:${accountId}`, credits, reason });
  return accountId;
};
