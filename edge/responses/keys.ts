/** Keys as they are answered, and why one was not made or changed. */
import { failure } from '../../shared/errors.ts';
import type { ApiKey } from '../../shared/key-api.ts';
import { limits } from '../../shared/limits.ts';
import type { KeyCreated, KeyRolled } from '../account/create.ts';
import type { Changed, GrantsExceeded, KeyRow, Revoked } from '../account/keys/port.ts';
import { type Answer, failed } from './answer.ts';

const timeOf = (ms: number): string => new Date(ms).toISOString();
const timeOrNull = (ms: number | null): string | null => (ms === null ? null : timeOf(ms));

export const apiKeyOf = (key: KeyRow): ApiKey => ({
  key_id: key.keyId,
  mode: key.mode,
  label: key.label,
  masked: key.masked,
  scopes: [...key.scopes],
  expires_at: timeOrNull(key.expiresAtMs),
  allowed_ips: key.allowedIps === null ? null : [...key.allowedIps],
  daily_credit_cap: key.creditsPerDayMax,
  credits_used_today: key.creditsPerDayMax === null ? null : key.creditsOfDay,
  created_at: timeOf(key.createdAtMs),
  created_by: key.createdBy,
  last_used_at: timeOrNull(key.lastUsedAtMs),
  revoked_at: timeOrNull(key.revokedAtMs),
  older_secrets_until: timeOrNull(key.replacedUntilMs),
});

type Refused = { readonly result: 'too_many_keys' | 'unknown_account' | 'unknown_key' | 'not_usable' } | GrantsExceeded;

const refused = (reply: Refused): Answer => {
  switch (reply.result) {
    case 'too_many_keys':
      return failed(
        failure('too_many_keys', `An account has at most ${limits.keys.perAccountMax} keys. Revoke one first.`),
      );
    case 'not_usable':
      return failed(failure('key_not_usable'));
    case 'unknown_account':
    case 'unknown_key':
      return failed(failure('key_not_found'));
    case 'grants_exceeded':
      return failed(
        failure('key_grants_exceeded', undefined, {
          errors: reply.exceeded.map(({ field, detail }) => ({ field, code: 'key_grants_exceeded', detail })),
        }),
      );
  }
};

const answered = (
  requestId: string,
  more: Readonly<Record<string, unknown>>,
  kind: 'ok' | 'created' = 'ok',
): Answer => ({
  kind,
  body: { success: true, request_id: requestId, ...more },
});

export const keyListAnswer = (keys: readonly KeyRow[], requestId: string): Answer =>
  answered(requestId, { keys: keys.map(apiKeyOf) });

/** With its secret, this once. */
export const keySecretAnswer = (reply: KeyCreated | KeyRolled, requestId: string): Answer => {
  if (reply.result !== 'added' && reply.result !== 'rolled') return refused(reply);
  const kind = reply.result === 'added' ? 'created' : 'ok';
  return answered(requestId, { key: apiKeyOf(reply.key), secret: reply.apiKey }, kind);
};

export const keyChangedAnswer = (reply: Changed<'changed'>, requestId: string): Answer =>
  reply.result === 'changed' ? answered(requestId, { key: apiKeyOf(reply.key) }) : refused(reply);

/** `key`: as it is afterwards. */
export const keyRevokedAnswer = (
  reply: { readonly result: Revoked } | GrantsExceeded,
  key: KeyRow | undefined,
  requestId: string,
): Answer =>
  (reply.result === 'revoked' || reply.result === 'already_revoked') && key
    ? answered(requestId, { key: apiKeyOf(key) })
    : refused(reply.result === 'grants_exceeded' ? reply : { result: 'unknown_key' });
