/** Opening accounts and making keys. A key is shown once: only its hash and its masked form are kept. */
import { issueApiKey, type KeyMode } from '../../shared/api-key.ts';
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
  const { secret, ...issued } = await issueApiKey(mode, accountId, deps.nowMs(), deps.randomBytes);
  const added = await deps.ledgerOf(accountId).addKey({ ...issued, mode, label });
  return added.result === 'added' ? { keyId: issued.keyId, apiKey: secret, masked: issued.masked } : undefined;
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
