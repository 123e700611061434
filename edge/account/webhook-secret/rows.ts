/** The webhook secret in the account's row. */
import type { RandomBytes } from '../../../shared/ids.ts';
import { first } from '../../sqlite/rows.ts';
import { newWebhookSecret } from '../../webhooks/signature.ts';
import type { WebhookSecret } from './port.ts';

const randomBytes: RandomBytes = (n) => crypto.getRandomValues(new Uint8Array(n));

export const readWebhookSecret = (sql: SqlStorage): WebhookSecret => {
  const row = first<{ secret: string | null; rotatedAtMs: number | null }>(
    sql,
    'select webhookSecret as secret, webhookRotatedAtMs as rotatedAtMs from account',
  );
  return row?.secret ? { secret: row.secret, rotatedAtMs: row.rotatedAtMs } : saveWebhookSecret(sql, null);
};

export const saveWebhookSecret = (sql: SqlStorage, rotatedAtMs: number | null): WebhookSecret => {
  const secret = newWebhookSecret(randomBytes);
  sql.exec('update account set webhookSecret = ?, webhookRotatedAtMs = ?', secret, rotatedAtMs);
  return { secret, rotatedAtMs };
};
