/** What the end-to-end tests ask of a running system, over HTTP only. */
import { expect } from 'vitest';
import type { z } from 'zod';
import type { LocalAccount } from '../../local/system.ts';
import { accountSchema, problemSchema } from '../../shared/api.ts';
import { type Ledger, readLedger } from '../support/ledger.ts';
import type { TemporarySystem } from '../support/local-system.ts';

export type Account = z.infer<typeof accountSchema>;

export const accountOf = async (system: TemporarySystem, apiKey = system.apiKey): Promise<Account> => {
  const answer = await fetch(`${system.baseUrl}/api/v1/account`, { headers: { authorization: `Bearer ${apiKey}` } });
  return accountSchema.parse(await answer.json());
};

export const problemOf = async (answer: Response): Promise<z.infer<typeof problemSchema>> => {
  expect(answer.headers.get('content-type')).toContain('application/problem+json');
  return problemSchema.parse(await answer.json());
};

/** The bytes behind a URL of a response; no key is sent. */
export const download = async (url: string): Promise<Uint8Array> => {
  const answer = await fetch(url);
  expect(answer.status, url).toBe(200);
  return new Uint8Array(await answer.arrayBuffer());
};

export const ledgerOf = (system: TemporarySystem, account: LocalAccount = system): Promise<Ledger> =>
  readLedger(system, account.accountId);

/** Nothing is pending, the totals balance, and exactly `spent` credits were charged. */
export const expectBalanced = async (
  system: TemporarySystem,
  { spent }: { spent: number },
  account: LocalAccount = system,
): Promise<void> => {
  const { totals, holds } = await ledgerOf(system, account);
  expect(totals).toMatchObject({ held: 0, spent });
  expect(totals.granted).toBe(totals.available + totals.held + totals.spent);
  expect(holds.filter((hold) => hold.pending > 0)).toEqual([]);
};
