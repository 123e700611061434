/** Configuration: production starts complete or not at all, and has nothing of local mode. */
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../../edge/config.ts';
import { createPortal } from '../../../edge/portal/index.ts';
import { portalSettings, unsetSeller } from '../../../edge/portal/settings.ts';
import { connect } from '../../../edge/services.ts';
import { bindings } from '../support/service.ts';

const production = {
  ...bindings,
  ENVIRONMENT: 'production',
  PUBLIC_BASE_URL: 'https://packshot.example',
  AUTH_SECRET: 'x'.repeat(40),
  STRIPE_SECRET_KEY: 'sk_live_of_stripe',
  STRIPE_WEBHOOK_SECRET: `whsec_${'s'.repeat(32)}`,
  MAIL_API_URL: 'https://mail.example/send',
  MAIL_API_KEY: 'k',
  MAIL_FROM: 'packshot <hello@packshot.example>',
};

describe('production', () => {
  it('does not start while a variable is missing, and names each', () => {
    const { STRIPE_SECRET_KEY: _stripe, MAIL_API_KEY: _mail, ...rest } = production;
    expect(() => portalSettings(rest)).toThrow(/STRIPE_SECRET_KEY is missing; MAIL_API_KEY is missing/);
  });

  it('does not start with the secrets of local mode, nor over plain http', () => {
    expect(() => portalSettings({ ...production, AUTH_SECRET: bindings.AUTH_SECRET })).toThrow(
      /AUTH_SECRET is the one of local mode/,
    );
    expect(() => portalSettings({ ...production, STRIPE_WEBHOOK_SECRET: bindings.STRIPE_WEBHOOK_SECRET })).toThrow(
      /STRIPE_WEBHOOK_SECRET is the one of local mode/,
    );
    expect(() => portalSettings({ ...production, PUBLIC_BASE_URL: 'http://packshot.example' })).toThrow(
      /PUBLIC_BASE_URL/,
    );
    for (const key of ['sk_test_of_stripe', 'rk_test_of_stripe'])
      expect(() => portalSettings({ ...production, STRIPE_SECRET_KEY: key })).toThrow(
        /STRIPE_SECRET_KEY is a key of Stripe's test mode/,
      );
  });

  it('has no outbox and no test checkout', async () => {
    const portal = createPortal(production, connect(bindings, readConfig(bindings)).flows);
    expect((await portal.request('/portal/api/local/outbox')).status).toBe(401);
    expect(await (await portal.request('/portal/api/config')).json()).toMatchObject({
      local: false,
      checkout: 'stripe',
      mail: 'api',
    });
  });

  it('marks its cookies secure', async () => {
    const portal = createPortal(production, connect(bindings, readConfig(bindings)).flows);
    const headers = {
      'content-type': 'application/json',
      origin: production.PUBLIC_BASE_URL,
      'cf-connecting-ip': '198.51.100.9',
    };
    const answer = await portal.request(`${production.PUBLIC_BASE_URL}/portal/api/auth/sign-out`, {
      method: 'POST',
      headers,
      body: '{}',
    });
    const cleared = answer.headers.getSetCookie().find((line) => line.includes('session_token')) ?? '';
    expect(cleared).toMatch(/^__Secure-packshot\.session_token=/);
    expect(cleared).toMatch(/; Secure/i);
  });
});

describe('the seller', () => {
  const seller = { SELLER_NAME: 'Packshot Ltd', SELLER_ADDRESS: '1 Example Street', SELLER_TAX_ID: 'IE1234567X' };

  it('is named variable by variable where production does not say who it is, and starts all the same', () => {
    expect(unsetSeller(portalSettings(production))).toEqual(Object.keys(seller));
    expect(unsetSeller(portalSettings({ ...production, ...seller, SELLER_TAX_ID: '' }))).toEqual(['SELLER_TAX_ID']);
    expect(unsetSeller(portalSettings({ ...production, ...seller }))).toEqual([]);
    expect(unsetSeller(portalSettings(bindings))).toEqual([]);
  });

  it('has Stripe add tax only where that is switched on', () => {
    const taxed = (more: object) => portalSettings({ ...production, ...more }).checkout;
    expect(taxed({})).toMatchObject({ automaticTax: false });
    expect(taxed({ STRIPE_AUTOMATIC_TAX: 'off' })).toMatchObject({ automaticTax: false });
    expect(taxed({ STRIPE_AUTOMATIC_TAX: 'on' })).toMatchObject({ automaticTax: true });
    expect(() => taxed({ STRIPE_AUTOMATIC_TAX: 'yes' })).toThrow(/STRIPE_AUTOMATIC_TAX/);
  });
});

describe('the settings', () => {
  it('are frozen, all the way down', () => {
    const settings = portalSettings(production);
    expect([settings, settings.checkout, settings.mail, settings.seller].every(Object.isFrozen)).toBe(true);
  });
});

describe('mail', () => {
  it('goes to the mail API in production, with the key in a header only', async () => {
    const { mailSender } = await import('../../../edge/portal/mail.ts');
    const { vi } = await import('vitest');
    const sent: { url: string; init: RequestInit }[] = [];
    const spy = vi.spyOn(globalThis, 'fetch').mockImplementation(async (url, init) => {
      sent.push({ url: String(url), init: init ?? {} });
      return new Response(null, { status: 202 });
    });
    await mailSender(portalSettings(production), bindings.DB)({ to: 'a@example.com', subject: 'Hello', text: 'Text' });
    spy.mockRestore();
    expect(sent).toHaveLength(1);
    expect(sent[0]?.url).toBe(production.MAIL_API_URL);
    expect(JSON.parse(String(sent[0]?.init.body))).toEqual({
      from: production.MAIL_FROM,
      to: ['a@example.com'],
      subject: 'Hello',
      text: 'Text',
    });
    expect(new Headers(sent[0]?.init.headers).get('authorization')).toBe('Bearer k');
  });
});
