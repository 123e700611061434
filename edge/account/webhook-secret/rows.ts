/** The webhook secret in the account's row. */
import type { RandomBytes } from '../../../shared/ids.ts';
import { limits } from '../../../shared/limits.ts';
import { first } from '../../sqlite/rows.ts';
import { newWebhookSecret } from '../../webhooks/signature.ts';
import type { WebhookSecret } from './port.ts';

const randomBytes: RandomBytes = (n) => crypto.getRandomValues(new Uint8Array(n));

type Row = { readonly secret: string | null; readonly rotatedAtMs: number | null; readonly before: string | null };

export const readWebhookSecret = (sql: SqlStorage, nowMs: number): WebhookSecret => {
  const row = first<Row>(
    sql,
    'select webhookSecret as secret, webhookRotatedAtMs as rotatedAtMs, webhookSecretBefore as before from account',
  );
  if (!row?.secret) return saveWebhookSecret(sql, null);
  const { secret, rotatedAtMs, before } = row;
  const overlaps = rotatedAtMs !== null && nowMs < rotatedAtMs + limits.webhook.secretOverlapMs;
  return { secret, rotatedAtMs, previous: overlaps ? before : null };
};

export const saveWebhookSecret = (sql: SqlStorage, rotatedAtMs: number | null): WebhookSecret => {
  const secret = newWebhookSecret(randomBytes);
  sql.exec(
    'update account set webhookSecretBefore = webhookSecret, webhookSecret = ?, webhookRotatedAtMs = ?',
    secret,
    rotatedAtMs,
  );
  return { secret, rotatedAtMs };
};
