/** Webhooks as the service signs them: Standard Webhooks (standardwebhooks.com), HMAC-SHA256, by Web Crypto. */
import { WebhookError } from './errors.ts';
import type { BalanceLow, BatchStatus } from './generated.ts';

type ReceivedHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** The specification's tolerance for clocks and slow networks. */
const TOLERANCE_SECONDS = 300;
const utf8 = new TextEncoder();

const header = (headers: ReceivedHeaders, name: string): string => {
  const value =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  if (typeof value !== 'string' || value === '')
    throw new WebhookError(`The header ${name} is missing`, { code: 'webhook_header_missing' });
  return value;
};

const fromBase64 = (text: string): Uint8Array<ArrayBuffer> | undefined => {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
};

/** The status of a batch, or an event that says its `type`. */
export type WebhookPayload = BatchStatus | BalanceLow;

/**
 * The batch's status that a webhook brings, once its signature holds; throws WebhookError otherwise, also for another
 * event. `secret` is the account's, `whsec_…`. `body` is the request's body as it came, not parsed and written again.
 * `webhook-id` stays the same for every attempt at one event.
 */
export const unwrap = async (...received: Parameters<typeof unwrapEvent>): Promise<BatchStatus> => {
  const payload = await unwrapEvent(...received);
  if ('type' in payload)
    throw new WebhookError(`The webhook is ${payload.type}, and tells of no batch`, { code: 'webhook_other_event' });
  return payload;
};

/** The same for an endpoint of the account that is sent other events too: `'type' in payload` tells them from a batch. */
export const unwrapEvent = async (
  secret: string,
  headers: ReceivedHeaders,
  body: string | Uint8Array,
  nowMs: number = Date.now(),
): Promise<WebhookPayload> => {
  const [id, timestamp, signatures] = [
    header(headers, 'webhook-id'),
    header(headers, 'webhook-timestamp'),
    header(headers, 'webhook-signature'),
  ];
  if (!(Math.abs(nowMs / 1_000 - Number(timestamp)) <= TOLERANCE_SECONDS))
    throw new WebhookError('The webhook was signed more than five minutes ago', { code: 'webhook_too_old' });
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const key = await keyOf(secret);
  const signed = utf8.encode(`${id}.${timestamp}.${text}`);
  for (const signature of signatures.split(' ')) {
    const mac = signature.startsWith('v1,') ? fromBase64(signature.slice(3)) : undefined;
    if (mac && (await crypto.subtle.verify('HMAC', key, mac, signed))) return JSON.parse(text) as WebhookPayload;
  }
  throw new WebhookError('The webhook is not signed with this secret', { code: 'webhook_signature_wrong' });
};

const keyOf = (secret: string): Promise<CryptoKey> => {
  const bytes = fromBase64(secret.replace(/^whsec_/, ''));
  if (!bytes || bytes.length === 0)
    throw new WebhookError('The secret is not one of the form whsec_…', { code: 'webhook_secret_malformed' });
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
};
