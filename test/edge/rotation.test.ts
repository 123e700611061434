/**
 * Every secret is changed while requests come: what the one before signed is good as long as it is configured beside the
 * new one. The key of the nodes is changed in test/origin/http/service-token.test.ts.
 */
import { runInDurableObject } from 'cloudflare:test';
import { Hono } from 'hono';
import Stripe from 'stripe';
import { describe, expect, it, vi } from 'vitest';
import { readConfig } from '../../edge/config.ts';
import type { EdgeEnv } from '../../edge/env.ts';
import { type HttpEnv, newCall } from '../../edge/http/call.ts';
import { renewSecondFactors } from '../../edge/portal/auth-secrets.ts';
import { createPortal } from '../../edge/portal/index.ts';
import { portalSettings } from '../../edge/portal/settings.ts';
import { downloadRoutes } from '../../edge/routes/downloads.ts';
import { connect } from '../../edge/services.ts';
import { limits } from '../../shared/limits.ts';
import { codeAt } from './portal/authenticators.ts';
import { answerOf, type Customer, newCustomer, PASSWORD, registered, signIn } from './portal/customer.ts';
import { fakeOrigin } from './support/origin.ts';
import { accountOf, accountStub, BASE, bindings, files, newAccount, upload, uploadForm } from './support/service.ts';

const random = (n: number): Uint8Array => crypto.getRandomValues(new Uint8Array(n));
/** The three states of a change: before, both, after. */
const phases = (name: 'DOWNLOAD_SIGNING_SECRET' | 'AUTH_SECRET' | 'STRIPE_WEBHOOK_SECRET'): readonly EdgeEnv[] => {
  const next = `the-next-local-secret-of-${name}`;
  return [bindings, { ...bindings, [name]: next, [`${name}_PREVIOUS`]: bindings[name] }, { ...bindings, [name]: next }];
};

it('links signed before a change of the download secret work until it is over, and new ones at once', async () => {
  fakeOrigin();
  const answer = await upload(await newAccount(1), uploadForm(files(1)));
  const key = `results/${((await answer.json()) as { batch_id: string }).batch_id}/0000.jpg`;
  vi.restoreAllMocks();
  const edges = phases('DOWNLOAD_SIGNING_SECRET').map((env) => {
    const config = readConfig(env);
    const { flows } = connect(env, config);
    const app = new Hono<HttpEnv>();
    app.use(async (c, next) => {
      c.set('call', newCall(c.req.raw, Date.now(), random, 'https://shop.example'));
      await next();
    });
    downloadRoutes(app, { services: flows, secrets: config.downloadSecrets });
    const link = () => flows.downloadUrl(key, 'a.jpg', Date.now() + 60_000, 'owner');
    return { link, status: async (url: string) => (await app.request(url)).status };
  });
  const links = await Promise.all(edges.map(({ link }) => link()));
  const [old = '', both = '', after = ''] = links;
  const statuses = await Promise.all(
    edges.map(async ({ status }) => Promise.all([status(old), status(both), status(after)])),
  );
  expect(statuses).toEqual([
    [200, 403, 403],
    [200, 200, 200],
    [403, 200, 200],
  ]);
});

it('sessions go on through a change of the auth secret, for reading and for changing something', async () => {
  const customer = await registered();
  const portals = phases('AUTH_SECRET').map((env) => createPortal(env, connect(bindings, readConfig(bindings)).flows));
  const headers = { cookie: customer.cookies(), origin: BASE, 'content-type': 'application/json' };
  const answers = await Promise.all(
    portals.map(async (portal) => [
      (await portal.request(`${BASE}/portal/api/keys`, { headers })).status,
      (
        await portal.request(`${BASE}/portal/api/keys`, {
          method: 'POST',
          headers,
          body: JSON.stringify({ label: 'made meanwhile', mode: 'test' }),
        })
      ).status,
    ]),
  );
  expect(answers).toEqual([
    [200, 201],
    [200, 201],
    [401, 401],
  ]);
});

it('an authenticator’s codes and recovery codes go on through a change of the auth secret, and after it', async () => {
  type Enabled = { readonly totpURI: string; readonly backupCodes: readonly string[] };
  const owner = await registered();
  const codes = await answerOf<Enabled>(owner.call('POST', '/auth/two-factor/enable', { password: PASSWORD }));
  const now = await codeAt(codes.totpURI);
  expect((await owner.call('POST', '/auth/two-factor/verify-totp', { code: now })).status).toBe(200);
  const [, both, after] = phases('AUTH_SECRET') as [EdgeEnv, EdgeEnv, EdgeEnv];
  const visit = async (env: EdgeEnv): Promise<Customer> => {
    const portal = createPortal(env, connect(bindings, readConfig(bindings)).flows);
    const visitor = newCustomer(owner.email, undefined, (request) => portal.request(request));
    expect(await answerOf(signIn(visitor))).toMatchObject({ twoFactorRedirect: true });
    return visitor;
  };
  const letIn = async (env: EdgeEnv) =>
    (await (await visit(env)).call('POST', '/auth/two-factor/verify-totp', { code: await codeAt(codes.totpURI) }))
      .status;
  expect(await letIn(both)).toBe(200);
  expect(await renewSecondFactors(bindings.DB, portalSettings(bindings))).toBe(0);
  expect(await renewSecondFactors(bindings.DB, portalSettings(both))).toBeGreaterThan(0);
  expect(await renewSecondFactors(bindings.DB, portalSettings(both))).toBe(0);
  expect(await letIn(both)).toBe(200);
  expect(await letIn(after)).toBe(200);
  const [code] = codes.backupCodes;
  expect((await (await visit(after)).call('POST', '/auth/two-factor/verify-backup-code', { code })).status).toBe(200);
});

it('a forged session cookie is not signed anew', async () => {
  const customer = await registered();
  const [, both] = phases('AUTH_SECRET');
  const portal = createPortal(both as EdgeEnv, connect(bindings, readConfig(bindings)).flows);
  const forged = customer.cookies().replace(/(session_token=[^.]+\.)../, '$1AA');
  for (const cookie of [forged, forged.replace(/\..*/, '.'), 'packshot.session_token=%', 'packshot.session_token=a.b'])
    expect((await portal.request(`${BASE}/portal/api/keys`, { headers: { cookie } })).status, cookie).toBe(401);
});

it('Stripe’s deliveries are taken whichever of its two secrets signed them', async () => {
  const payload = JSON.stringify({ id: 'evt_1', object: 'event', type: 'ping', livemode: false, data: { object: {} } });
  const [old, , after] = phases('STRIPE_WEBHOOK_SECRET') as [EdgeEnv, EdgeEnv, EdgeEnv];
  const signatures = await Promise.all(
    [old, after].map(({ STRIPE_WEBHOOK_SECRET: secret }) =>
      Stripe.webhooks.generateTestHeaderStringAsync({
        payload,
        secret,
        cryptoProvider: Stripe.createSubtleCryptoProvider(),
      }),
    ),
  );
  const statuses = await Promise.all(
    phases('STRIPE_WEBHOOK_SECRET').map(async (env) => {
      const portal = createPortal(env, connect(bindings, readConfig(bindings)).flows);
      const deliver = async (signature: string) =>
        (
          await portal.request(`${BASE}/portal/api/stripe/webhook`, {
            method: 'POST',
            headers: { 'stripe-signature': signature, 'content-type': 'application/json' },
            body: payload,
          })
        ).status;
      return Promise.all(signatures.map(deliver));
    }),
  );
  expect(statuses).toEqual([
    [200, 400],
    [200, 200],
    [400, 200],
  ]);
});

describe('a customer’s webhook secret', () => {
  it('signs beside the new one for a day after a rotation, and no longer', async () => {
    const account = await newAccount();
    const first = await accountOf(account).webhookSecret();
    expect(first.previous ?? null).toBeNull();
    const second = await accountOf(account).rotateWebhookSecret();
    expect(await accountOf(account).webhookSecret()).toMatchObject({ secret: second.secret, previous: first.secret });
    const third = await accountOf(account).rotateWebhookSecret();
    expect(await accountOf(account).webhookSecret()).toMatchObject({ secret: third.secret, previous: second.secret });
    await runInDurableObject(accountStub(account.accountId), (object) => {
      object.now = () => Date.now() + limits.webhook.secretOverlapMs;
    });
    expect(await accountOf(account).webhookSecret()).toMatchObject({ secret: third.secret, previous: null });
  });
});
