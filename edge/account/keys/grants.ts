/** What a key may do, and what a key that manages others may give them: never more than it has itself. Pure. */
import type { KeyMode } from '../../../shared/api-key.ts';
import { type KeyScope, ordinaryScopes } from '../../../shared/scopes.ts';
import { isWithin } from './addresses.ts';

export type KeyGrants = {
  readonly scopes: readonly KeyScope[];
  /** Null: never. */
  readonly expiresAtMs: number | null;
  /** Address ranges that the key is taken from; null: everywhere. */
  readonly allowedIps: readonly string[] | null;
  /** Credits that it may spend on a UTC day; null: all that the account has. */
  readonly creditsPerDayMax: number | null;
};

/** A key, as far as what it may do is concerned. A test key spends nothing, so that no cap applies to it. */
export type Granted = KeyGrants & { readonly mode: KeyMode };

export type Exceeded = {
  readonly field: 'mode' | 'scopes' | 'expires_at' | 'allowed_ips' | 'daily_credit_cap';
  readonly detail: string;
};

/** What is not asked for is as it is with the maker, but `admin`, which is given by name alone. */
export const grantsOf = (asked: Partial<KeyGrants>, maker: Granted | undefined): KeyGrants => ({
  scopes: ordinaryScopes.filter((scope) => maker?.scopes.includes(scope) ?? true),
  expiresAtMs: maker?.expiresAtMs ?? null,
  allowedIps: maker?.allowedIps ?? null,
  creditsPerDayMax: maker?.creditsPerDayMax ?? null,
  ...asked,
});

/** In what `wanted` is wider than `own`; empty where it is not. */
export const exceeded = (own: Granted, wanted: Granted): readonly Exceeded[] => {
  const found: Exceeded[] = [];
  const say = (field: Exceeded['field'], detail: string): void => void found.push({ field, detail });
  if (own.mode === 'test' && wanted.mode === 'live') say('mode', 'A test key manages test keys only');
  const missing = wanted.scopes.filter((scope) => !own.scopes.includes(scope));
  if (missing.length > 0) say('scopes', `The calling key has no ${missing.join(', ')}`);
  if (own.expiresAtMs !== null && (wanted.expiresAtMs === null || wanted.expiresAtMs > own.expiresAtMs))
    say('expires_at', `The calling key expires at ${new Date(own.expiresAtMs).toISOString()}`);
  if (!areWithin(own.allowedIps, wanted.allowedIps))
    say('allowed_ips', 'The calling key is taken from fewer addresses');
  const cap = own.creditsPerDayMax;
  const { creditsPerDayMax } = wanted;
  if (cap !== null && wanted.mode === 'live' && (creditsPerDayMax === null || creditsPerDayMax > cap))
    say('daily_credit_cap', `The calling key may spend ${cap} credits a day`);
  return found;
};

const areWithin = (own: KeyGrants['allowedIps'], wanted: KeyGrants['allowedIps']): boolean =>
  own === null || (wanted?.every((range) => isWithin(own, range)) ?? false);
