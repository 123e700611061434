/** What an account does for others, by concept. Callers take the ports they need; expected refusals are values. */
import type { AccessPort } from './access/port.ts';
import type { IdempotencyPort } from './idempotency/port.ts';
import type { KeysPort } from './keys/port.ts';
import type { LedgerPort } from './ledger/port.ts';
import type { RequestLogPort } from './requests/port.ts';
import type { WebhookSecretPort } from './webhook-secret/port.ts';

/** All that the account's object answers. */
export type AccountPort = LedgerPort & KeysPort & AccessPort & IdempotencyPort & RequestLogPort & WebhookSecretPort;

/** The same as parts, so that one of them can move to an object of its own without its callers noticing. */
export type AccountParts = {
  readonly ledger: LedgerPort;
  readonly keys: KeysPort;
  readonly access: AccessPort;
  readonly idempotency: IdempotencyPort;
  readonly requests: RequestLogPort;
  readonly webhookSecret: WebhookSecretPort;
};

export type AccountOf = (accountId: string) => AccountParts;

/** Every part answered by one object. */
export const partsOf = (account: AccountPort): AccountParts => ({
  ledger: account,
  keys: account,
  access: account,
  idempotency: account,
  requests: account,
  webhookSecret: account,
});
