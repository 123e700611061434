/** Terms and privacy: each installation's own operator, and a page that says what its operator has not filled in. */
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { configWarnings } from '../../../edge/deploy/config-faults.ts';
import type { HttpEnv } from '../../../edge/http/call.ts';
import { portalSettings } from '../../../edge/portal/settings.ts';
import { legalPages } from '../../../edge/routes/legal-pages.ts';
import { type Operator, operatorFields, unsetOperator } from '../../../shared/operator.ts';
import { BASE, bindings, call } from '../support/service.ts';

const filledIn = {
  SELLER_NAME: 'Packshot & Söhne <GmbH>',
  SELLER_ADDRESS: '1 Example Street, Vienna',
  LEGAL_CONTACT: 'legal@packshot.example',
  LEGAL_JURISDICTION: 'The law of Austria; courts of Vienna',
  LEGAL_EFFECTIVE_DATE: '2026-12-01',
  LEGAL_PROCESSORS: 'Example Hosting Ltd, Example Mail Inc.',
};
const variables = Object.values(operatorFields).map(({ variable }) => variable);

const pageFor = async (path: string, operator: Operator): Promise<Response> => {
  const app = new Hono<HttpEnv>();
  legalPages(app, operator, 'https://packshot.example');
  return app.request(BASE + path, { headers: { 'if-none-match': '*' } }, bindings);
};

describe('terms and privacy', () => {
  it('say in the words of the page what their operator has not filled in', async () => {
    for (const path of ['/terms', '/privacy']) {
      const page = await call(path);
      expect(page.status).toBe(200);
      const text = await page.text();
      expect(text).toContain('[To be filled in by the operator: name of the company]');
      expect(text).toContain('[To be filled in by the operator: date from which this applies]');
      expect(text).not.toMatch(/[⟦⟧]|this-service\.invalid/);
    }
  });

  it('name the operator of this installation, whatever characters the name has, and nothing is left to fill in', async () => {
    const { operator } = portalSettings({ ...bindings, ...filledIn });
    expect(unsetOperator(operator)).toEqual([]);
    const whole = (
      await Promise.all(['/terms', '/privacy'].map(async (path) => (await pageFor(path, operator)).text()))
    ).join('');
    expect(whole).not.toContain('To be filled in');
    expect(whole).toContain('Packshot &amp; Söhne &lt;GmbH&gt;');
    for (const value of Object.values(filledIn).slice(1)) expect(whole).toContain(value);
    expect(whole).toContain('<link rel="canonical" href="https://packshot.example/terms" />');
  });

  it('say what is kept of a saved card and of webhook endpoints, and whose script may run', async () => {
    const [terms = '', privacy = ''] = await Promise.all(
      ['/terms', '/privacy'].map(async (path) => (await call(path)).text()),
    );
    for (const page of [terms, privacy]) expect(page).not.toMatch(/see no card|Stripe alone|scripts of others\./);
    for (const told of [
      'brand, last four digits, expiry',
      'Addresses of webhook endpoints',
      'Turnstile is on, the pages',
    ])
      expect(privacy).toContain(told);
    expect(terms).toContain('Automatic top-up is off until you switch it on');
  });

  it('keep the policy of all pages, and are sent anew when an operator changes', async () => {
    const { operator } = portalSettings({ ...bindings, ...filledIn });
    const page = await pageFor('/terms', operator);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(page.headers.get('etag')).toBeNull();
  });
});

describe('an operator', () => {
  it('is told every variable that is missing, at the start and before a deployment, which goes on', () => {
    expect(unsetOperator(portalSettings(bindings).operator)).toEqual(variables);
    expect(configWarnings({ vars: {} }).map((text) => text.split(' ')[0])).toEqual(variables);
    expect(configWarnings({ vars: { ...filledIn, SELLER_NAME: '' } })).toHaveLength(1);
    expect(configWarnings({ vars: filledIn })).toEqual([]);
  });

  it('does not start with a date or a mail address that is none', () => {
    expect(() => portalSettings({ ...bindings, LEGAL_EFFECTIVE_DATE: '1.12.2026' })).toThrow(/LEGAL_EFFECTIVE_DATE/);
    expect(() => portalSettings({ ...bindings, LEGAL_CONTACT: 'Vienna' })).toThrow(/LEGAL_CONTACT/);
  });
});
