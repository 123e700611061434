/** What the edge signs, the client unwraps. */
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { Packshot, WebhookError } from '../../clients/typescript/src/index.ts';
import { newWebhookSecret, signedHeaders } from '../../edge/webhooks/signature.ts';

const secret = newWebhookSecret((bytes) => crypto.getRandomValues(new Uint8Array(bytes)));
const { webhooks } = new Packshot({ apiKey: 'sk_test_x', baseUrl: 'https://api.example' });
const body = JSON.stringify({ batch_id: 'bat_1', status: 'completed' });
const nowSeconds = () => Math.floor(Date.now() / 1_000);
const signed = (timestampSeconds = nowSeconds()) => signedHeaders({ id: 'evt_1', timestampSeconds, body }, secret);

describe('a webhook', () => {
  it("that the edge signed is unwrapped, from a server's plain headers or a request's", async () => {
    const headers = await signed();
    expect(await webhooks.unwrap(secret, headers, body)).toMatchObject({ batch_id: 'bat_1' });
    expect(await webhooks.unwrap(secret, new Headers(headers), new TextEncoder().encode(body))).toMatchObject({
      status: 'completed',
    });
  });

  it("that the specification's own library signed is unwrapped, also among other signatures", async () => {
    const at = new Date();
    const headers = {
      'Webhook-Id': 'evt_1',
      'Webhook-Timestamp': String(Math.floor(at.getTime() / 1_000)),
      'Webhook-Signature': `v1,AAAA v1a,BBBB ${new Webhook(secret).sign('evt_1', at, body)}`,
    };
    expect(await webhooks.unwrap(secret, headers, body)).toMatchObject({ batch_id: 'bat_1' });
  });

  it('that is no batch is unwrapped as an event, and refused as a batch', async () => {
    const low = JSON.stringify({ id: 'evt_1', type: 'balance.low', data: { balance: 30 } });
    const headers = await signedHeaders({ id: 'evt_1', timestampSeconds: nowSeconds(), body: low }, secret);
    const event = await webhooks.unwrapEvent(secret, headers, low);
    expect('type' in event && event.data.balance).toBe(30);
    const batch = await webhooks.unwrapEvent(secret, await signed(), body);
    expect(!('type' in batch) && batch.batch_id).toBe('bat_1');
    await expect(webhooks.unwrap(secret, headers, low)).rejects.toMatchObject({ code: 'webhook_other_event' });
    await expect(webhooks.unwrapEvent(secret, headers, `${low} `)).rejects.toMatchObject({
      code: 'webhook_signature_wrong',
    });
  });

  it.each([
    ['another body', async () => webhooks.unwrap(secret, await signed(), `${body} `), 'webhook_signature_wrong'],
    ['another secret', async () => webhooks.unwrap('whsec_AAAA', await signed(), body), 'webhook_signature_wrong'],
    [
      'an old signature',
      async () => webhooks.unwrap(secret, await signed(nowSeconds() - 301), body),
      'webhook_too_old',
    ],
    ['no signature', async () => webhooks.unwrap(secret, {}, body), 'webhook_header_missing'],
    ['a secret that is none', async () => webhooks.unwrap('?', await signed(), body), 'webhook_secret_malformed'],
  ])('with %s is refused', async (_, unwrapping, code) => {
    const error = await unwrapping().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(WebhookError);
    expect((error as WebhookError).code).toBe(code);
  });
});
