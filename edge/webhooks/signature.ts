/**
 * Signatures of outgoing webhooks, by the Standard Webhooks specification (standardwebhooks.com, symmetric `v1`):
 * HMAC-SHA256 over "id.timestamp.body". We only sign, by Web Crypto; the specification's own package brings a SHA-256
 * in JavaScript, which would be much code for one call.
 */
import { base64, fromBase64 } from '../../shared/base64.ts';
import type { RandomBytes } from '../../shared/ids.ts';

const SECRET_PREFIX = 'whsec_';
/** The specification asks for 24 to 64 bytes. */
const SECRET_BYTES = 32;

const utf8 = new TextEncoder();

/** `whsec_` and 32 random bytes in base64, the form that receivers' libraries expect. */
export const newWebhookSecret = (random: RandomBytes): string =>
  SECRET_PREFIX + base64(random(SECRET_BYTES).subarray(0, SECRET_BYTES));

export type WebhookMessage = {
  /** The same for every attempt at one event, so that a receiver can recognise a repeated one. */
  readonly id: string;
  /** Of this attempt; receivers refuse what is older than five minutes. */
  readonly timestampSeconds: number;
  readonly body: string;
};

/** The three headers of the specification, with one signature for each of `secrets`: a receiver needs one it knows. */
export const signedHeaders = async (
  message: WebhookMessage,
  ...secrets: readonly string[]
): Promise<Record<string, string>> => ({
  'webhook-id': message.id,
  'webhook-timestamp': String(message.timestampSeconds),
  'webhook-signature': (await Promise.all(secrets.map((secret) => signatureOf(message, secret)))).join(' '),
});

const signatureOf = async (message: WebhookMessage, secret: string): Promise<string> => {
  const mac = await signed(secret, `${message.id}.${message.timestampSeconds}.${message.body}`);
  return `v1,${base64(mac)}`;
};

const signed = async (secret: string, text: string): Promise<Uint8Array> => {
  const raw = fromBase64(secret.slice(SECRET_PREFIX.length));
  const key = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, utf8.encode(text)));
};

/**
 * What signs deliveries to a developer who listens with this key: always the same until the account's secret is rotated,
 * and no way to learn that one.
 */
export const listeningSecret = async (secret: string, keyId: string): Promise<string> =>
  SECRET_PREFIX + base64(await signed(secret, `listen.${keyId}`));
