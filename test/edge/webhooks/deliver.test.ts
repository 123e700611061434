import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { dnsOverHttps } from '../../../edge/input-url/resolve.ts';
import { checkWebhookUrl, deliver } from '../../../edge/webhooks/deliver.ts';
import { shownUrl } from '../../../edge/webhooks/shown-url.ts';
import { newWebhookSecret, signedHeaders } from '../../../edge/webhooks/signature.ts';
import type { Fetch } from '../../../shared/clock.ts';
import { webhookEventId } from '../../../shared/ids.ts';
import { limits } from '../../../shared/limits.ts';
import { forbiddenUrls } from '../../support/addresses.ts';
import { virtualClock } from '../../support/virtual-clock.ts';
import { memoryLog, names } from '../input-url/untrusted-servers.ts';

const random = (n: number) => crypto.getRandomValues(new Uint8Array(n));
const secret = newWebhookSecret(random);
const url = 'https://hooks.shop.com/packshot';
const batchId = 'bat_01jd0000000000000000000000';
const body = JSON.stringify({ batch_id: batchId, status: 'completed', note: 'größe ✓' });

type Sent = { url: string; init: RequestInit };
const receiver = (
  answer: () => Response | Promise<Response>,
  resolver = names({ 'hooks.shop.com': ['93.184.215.14'] }),
) => {
  const sent: Sent[] = [];
  const fetch: Fetch = async (to, init) => {
    if (to.startsWith('https://resolver.test/')) return resolver(new URL(to));
    sent.push({ url: to, init });
    return answer();
  };
  return { fetch, sent };
};

const attempt = async ({ fetch }: { fetch: Fetch }, to = url, startMs = Date.now(), secrets = [secret]) => {
  const clock = virtualClock(startMs);
  const rules = { ownHosts: ['api.packshot.shop'], localHosts: [] };
  const { log, lines } = memoryLog();
  const attempted = await clock.run(
    deliver(
      { url: to, eventId: webhookEventId(batchId), body, secrets },
      { fetch, clock, log, rules, resolve: dnsOverHttps('https://resolver.test/dns-query', fetch, log) },
    ),
  );
  return { ...attempted, startMs, lines, elapsedMs: clock.nowMs() - startMs };
};

describe('a delivery', () => {
  it('is what a Standard Webhooks receiver accepts, body untouched', async () => {
    const server = receiver(() => new Response('thanks'));
    expect((await attempt(server)).outcome).toBe('delivered');
    const { url: to, init } = server.sent[0]!;
    expect([to, init.method, init.redirect]).toEqual([url, 'POST', 'manual']);
    expect(new Webhook(secret).verify(init.body as string, init.headers as Record<string, string>)).toEqual(
      JSON.parse(body),
    );
  });

  it('is accepted with either secret while the secret is being changed', async () => {
    const server = receiver(() => new Response('thanks'));
    const next = newWebhookSecret(random);
    await attempt(server, url, Date.now(), [next, secret]);
    const headers = server.sent[0]!.init.headers as Record<string, string>;
    expect(headers['webhook-signature']).toMatch(/^v1,\S{44} v1,\S{44}$/);
    for (const known of [next, secret]) expect(new Webhook(known).verify(body, headers)).toEqual(JSON.parse(body));
    expect(() => new Webhook(newWebhookSecret(random)).verify(body, headers)).toThrow(WebhookVerificationError);
  });

  it('is refused by a receiver with another secret, another body or an old timestamp', async () => {
    const server = receiver(() => new Response('thanks'));
    await attempt(server);
    const headers = server.sent[0]!.init.headers as Record<string, string>;
    expect(() => new Webhook(newWebhookSecret(random)).verify(body, headers)).toThrow(WebhookVerificationError);
    expect(() => new Webhook(secret).verify(body.replace('completed', 'failed'), headers)).toThrow(
      WebhookVerificationError,
    );
    const late = receiver(() => new Response('thanks'));
    await attempt(late, url, Date.now() - 6 * 60_000);
    expect(() => new Webhook(secret).verify(body, late.sent[0]!.init.headers as Record<string, string>)).toThrow(
      'too old',
    );
  });

  it('carries the same id at every attempt', async () => {
    const server = receiver(() => new Response('thanks'));
    await attempt(server);
    await attempt(server, url, Date.now() + 60_000);
    const ids = server.sent.map(({ init }) => (init.headers as Record<string, string>)['webhook-id']);
    expect(ids).toEqual(['evt_01jd0000000000000000000000', 'evt_01jd0000000000000000000000']);
  });

  it.each([
    [200, 'delivered'],
    [204, 'delivered'],
    [410, 'gone'],
    [301, 'failed'],
    [400, 'failed'],
    [404, 'failed'],
    [429, 'failed'],
    [500, 'failed'],
  ] as const)('answered with %i: %s', async (status, outcome) => {
    const server = receiver(() => new Response(null, { status, headers: { location: 'http://127.0.0.1/' } }));
    expect(await attempt(server)).toMatchObject({ outcome, status, failure: null });
    expect(server.sent).toHaveLength(1);
  });

  it('to a server that is down or never answers fails in bounded time', async () => {
    expect(await attempt(receiver(() => Promise.reject(new Error('refused'))))).toMatchObject({
      outcome: 'failed',
      status: null,
      failure: 'connection_failed',
    });
    expect(await attempt(receiver(() => new Promise(() => {})))).toMatchObject({
      outcome: 'failed',
      status: null,
      failure: 'timeout',
      elapsedMs: limits.webhook.timeoutMs,
      ms: limits.webhook.timeoutMs,
    });
  });

  it('that fails is logged with its cause, and without the path of its URL, which may be a secret', async () => {
    const refused = await attempt(receiver(() => Promise.reject(new TypeError(`refused: ${url}`))));
    expect(refused.lines().join()).toContain('refused');
    expect(refused.lines().join()).not.toContain('hooks.shop.com/packshot');
  });

  it('does not wait for the end of an endless answer', async () => {
    let cancelled = false;
    const endless = () =>
      new Response(
        new ReadableStream({
          pull: (controller) => controller.enqueue(new Uint8Array(1_000)),
          cancel: () => {
            cancelled = true;
          },
        }),
      );
    expect((await attempt(receiver(endless))).outcome).toBe('delivered');
    expect(cancelled).toBe(true);
  });

  it.each(forbiddenUrls)('to %s is never sent', async (_notation, to) => {
    const server = receiver(() => new Response('thanks'));
    expect(await attempt(server, to)).toMatchObject({ outcome: 'failed', failure: expect.stringMatching(/^url_/) });
    expect(server.sent).toEqual([]);
  });

  it('to a name that now resolves to a private address is never sent', async () => {
    const server = receiver(() => new Response('thanks'), names({ 'hooks.shop.com': ['10.0.0.1'] }));
    expect((await attempt(server)).outcome).toBe('failed');
    expect(server.sent).toEqual([]);
  });
});

describe('an address as it is shown', () => {
  it.each([
    ['https://hooks.shop.com/packshot', 'https://hooks.shop.com/packshot'],
    ['https://hooks.shop.com/in?token=s3cret#x', 'https://hooks.shop.com/in?…'],
    ['https://hooks.chat.com/services/T0000/abcdefghijklmnopqrstuvwx', 'https://hooks.chat.com/services/T0000/abcd…'],
  ])('%s has no query and no long part of its path', (given, shown) => expect(shownUrl(given)).toBe(shown));
});

describe('a webhook_url', () => {
  const rules = { ownHosts: ['api.packshot.shop'], localHosts: [] };
  it('on a public host is taken as it is', () =>
    expect(checkWebhookUrl(`${url}?x=1#y`, rules)).toEqual({ ok: true, value: `${url}?x=1#y` }));
  it.each([
    ['http://localhost/x', 'url_forbidden'],
    ['https://api.packshot.shop/x', 'url_forbidden'],
    ['not a url', 'url_invalid'],
    ['https://u:p@shop.com/', 'url_invalid'],
  ])('%s is refused, naming the field', (text, code) => {
    const checked = checkWebhookUrl(text, rules);
    expect(
      checked.ok === false && [
        checked.failure.code,
        checked.failure.errors?.[0]?.field,
        checked.failure.errors?.[0]?.code,
      ],
    ).toEqual(['invalid_request', 'webhook_url', code]);
  });
});

it('a secret is fresh each time and long enough for the specification', async () => {
  const another = newWebhookSecret(random);
  expect(another).not.toBe(secret);
  expect(atob(another.slice('whsec_'.length))).toHaveLength(32);
  const headers = await signedHeaders(
    { id: 'evt_1', timestampSeconds: Math.floor(Date.now() / 1000), body: '' },
    another,
  );
  expect(() => new Webhook(another).verify('', headers)).not.toThrow();
});
