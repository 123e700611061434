import { describe, expect, it } from 'vitest';
import { marketplacesSchema } from '../../../shared/api.ts';
import { marketplaceNames, marketplaces } from '../../../shared/marketplaces/index.ts';
import { call } from '../support/service.ts';

describe('GET /api/v1/marketplaces', () => {
  it('lists every marketplace and every rule with its papers, without a key, for a cache', async () => {
    const response = await call('/api/v1/marketplaces');
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('public, max-age=3600');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    const body = marketplacesSchema.parse(await response.json());
    expect(body.request_id).toBe(response.headers.get('request-id'));
    expect(body.marketplaces.map(({ name }) => name)).toEqual(marketplaceNames);
    for (const { name, rules } of body.marketplaces) {
      expect(rules.map(({ required: _words, ...rule }) => rule)).toEqual(marketplaces[name].rules);
      expect(rules.every(({ required }) => required.length > 0)).toBe(true);
    }
  });

  it('takes nothing but reading', async () => {
    const response = await call('/api/v1/marketplaces', { method: 'POST' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
    expect((await call('/api/v1/marketplaces', { method: 'HEAD' })).status).toBe(200);
  });
});
