/** A wrangler file that would be unsafe to deploy is refused. */
import { describe, expect, it } from 'vitest';
import { configFaults } from '../../edge/deploy/config-faults.ts';

const safe = {
  workers_dev: false,
  preview_urls: false,
  compatibility_flags: ['nodejs_compat', 'global_fetch_strictly_public'],
  vars: {
    ENVIRONMENT: 'production',
    ORIGIN_URLS: 'https://a.example, https://b.example',
    BREACHED_PASSWORDS_URL: 'https://breached.example/range/',
    ACCESS_CLIENT_ID: 'id.access',
    TURNSTILE_SITE_KEY: '0x4',
  },
  d1_databases: [{ database_id: '8f0f2c8e-4b1a-4c1e-9a9e-0d6b6d1f7c11' }],
  r2_buckets: [{ binding: 'BUCKET' }],
};

describe('a deployment', () => {
  it('with nothing unsafe is let through', () => {
    expect(configFaults(safe)).toEqual([]);
  });

  it.each([
    ['workers_dev', { workers_dev: true }],
    ['workers_dev', { workers_dev: undefined }],
    ['preview_urls', { preview_urls: undefined }],
    ['global_fetch_strictly_public', { compatibility_flags: ['nodejs_compat'] }],
    ['ENVIRONMENT', { vars: {} }],
    ['ENVIRONMENT', { vars: { ENVIRONMENT: 'local' } }],
    ['AUTH_SECRET', { vars: { ...safe.vars, AUTH_SECRET: 'x'.repeat(40) } }],
    ['SERVICE_SIGNING_KEY', { vars: { ...safe.vars, SERVICE_SIGNING_KEY: '{}' } }],
    ['R2_SECRET_ACCESS_KEY', { vars: { ...safe.vars, R2_SECRET_ACCESS_KEY: 'x' } }],
    ['ORIGIN_URLS', { vars: { ...safe.vars, ORIGIN_URLS: 'https://a.example, http://b.example' } }],
    ['database_id', { d1_databases: [{ database_id: '00000000-0000-0000-0000-000000000001' }] }],
    ['R2 bucket', { r2_buckets: [{ binding: 'BUCKET', local_dev: { experimental_s3_credentials: {} } }] }],
  ])('is refused for its %s', (named, change) => {
    expect(configFaults({ ...safe, ...change })).toEqual([expect.stringContaining(named)]);
  });
});
