import { describe, expect, it } from 'vitest';
import { targetsFor } from '../../portal/src/palette/targets.ts';
import { type Permission, roleMay } from '../../shared/roles.ts';

const may = (permission: Permission): boolean => roleMay('owner', permission);
const first = (text: string): string | undefined => targetsFor(text, may)[0]?.href;

describe('the palette', () => {
  it('leads to pages by their name, a part of it, or what else they are called', () => {
    expect(first('bil')).toBe('/billing');
    expect(first('KEYS')).toBe('/keys');
    expect(first('reference api')).toBe('/docs/reference');
    expect(first('buy credits')).toBe('/billing');
    expect(first('passkey')).toBe('/security');
  });

  it('prefers pages of the portal, then those of the documentation', () => {
    expect(targetsFor('web', may).map(({ href }) => href)).toEqual(['/webhooks', '/docs/webhooks', '/logs?name=web']);
  });

  it('leads to what an id names, and to nothing by half an id', () => {
    expect(first('req_01k9zq4v7m8n2p5r6s7t8v9w0x')).toBe('/logs/req_01k9zq4v7m8n2p5r6s7t8v9w0x');
    expect(first(' FLD_01k9zq4v7m8n2p5r6s7t8v9w0x ')).toBe('/batches/fld_01k9zq4v7m8n2p5r6s7t8v9w0x');
    expect(first('pay_01k9zq4v7m8n2p5r6s7t8v9w0x')).toBe('/billing/receipts/pay_01k9zq4v7m8n2p5r6s7t8v9w0x');
    expect(first('req_01k9zq4v7m8n2p')).toBe('/logs?name=req_01k9zq4v7m8n2p');
  });

  it('searches the log for any other text, which is a part of no other address', () => {
    expect(targetsFor('red shoe & /../x?', may).at(-1)?.href).toBe('/logs?name=red%20shoe%20%26%20%2F..%2Fx%3F');
  });

  it('begins with every page', () => {
    expect(targetsFor('  ', may).length).toBeGreaterThan(20);
  });

  it('leads nowhere that the role does not allow', () => {
    const billing = (text: string) =>
      targetsFor(text, (permission) => roleMay('billing', permission)).map(({ href }) => href);
    expect(billing('billing')).toContain('/billing');
    for (const text of ['', 'keys', 'log', 'photo.jpg', 'req_01arz3ndektsv4rrffq69g5fav'])
      for (const href of billing(text)) expect(href).not.toMatch(/^\/(keys|logs|batches|playground|webhooks|activity)/);
  });
});
