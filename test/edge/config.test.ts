import { describe, expect, it } from 'vitest';
import { readConfig } from '../../edge/config.ts';
import type { EdgeEnv } from '../../edge/env.ts';
import { connect } from '../../edge/services.ts';
import { publicUrl } from '../../shared/public-address.ts';
import { bindings } from './support/service.ts';

const production: EdgeEnv = {
  ...bindings,
  ENVIRONMENT: 'production',
  PUBLIC_BASE_URL: 'https://api.packshot.shop/',
  ORIGIN_URLS: 'https://node-1.packshot.shop, https://node-2.packshot.shop',
  ORIGIN_SERVICE_SECRET: 'b'.repeat(40),
  DOWNLOAD_SIGNING_SECRET: 'c'.repeat(40),
  R2_S3_ENDPOINT: 'https://account.r2.cloudflarestorage.com',
  LOCAL_ADMIN_TOKEN: '',
  LOCAL_INPUT_HOSTS: '',
  OWN_ZONES: 'packshot.shop',
};

describe('production', () => {
  it('starts with its own secrets, and lets no loopback host through', () => {
    expect(readConfig(production)).toMatchObject({
      local: false,
      localAdminToken: null,
      localInputHosts: [],
      publicBaseUrl: 'https://api.packshot.shop',
    });
  });

  it.each([
    ['LOCAL_INPUT_HOSTS', '127.0.0.1:9000'],
    ['LOCAL_ADMIN_TOKEN', 'x'.repeat(40)],
    ['ORIGIN_SERVICE_SECRET', bindings.ORIGIN_SERVICE_SECRET],
    ['DOWNLOAD_SIGNING_SECRET', bindings.DOWNLOAD_SIGNING_SECRET],
  ] as const)('refuses to start with %s of local mode, and names it', (name, value) => {
    expect(() => readConfig({ ...production, [name]: value })).toThrow(name);
  });

  it.each([
    ['PUBLIC_BASE_URL', 'http://api.packshot.shop'],
    ['ORIGIN_URLS', 'https://node-1.packshot.shop, http://node-2.packshot.shop'],
    ['R2_S3_ENDPOINT', 'http://account.r2.cloudflarestorage.com'],
    ['DNS_OVER_HTTPS_URL', 'http://resolver.packshot.shop/dns-query'],
    ['DOWNLOAD_SIGNING_SECRET', production.ORIGIN_SERVICE_SECRET],
    ['AUTH_SECRET', production.DOWNLOAD_SIGNING_SECRET],
  ] as const)('refuses to start with an unsafe %s, and names it', (name, value) => {
    expect(() => readConfig({ ...production, [name]: value })).toThrow(name);
  });

  it('refuses to fetch any host of its own zones for a caller', () => {
    const { rules } = connect(bindings, readConfig(production));
    for (const host of ['packshot.shop', 'grafana.packshot.shop', 'a.b.packshot.shop'])
      expect(publicUrl(`https://${host}/a.jpg`, rules)).toMatchObject({ failure: { code: 'url_forbidden' } });
    expect(publicUrl('https://notpackshot.shop/a.jpg', rules)).toMatchObject({ ok: true });
  });

  it.each(['PUBLIC_BASE_URL', 'ORIGIN_URLS', 'R2_SECRET_ACCESS_KEY', 'OWN_ZONES'] as const)(
    'refuses to start without %s, and names it',
    (name) => {
      expect(() => readConfig({ ...production, [name]: '' })).toThrow(name);
    },
  );
});

describe('an error', () => {
  it('names every variable at fault once, missing and wrong ones alike, and repeats no secret', () => {
    const wrong = {
      ...production,
      PUBLIC_BASE_URL: '',
      ORIGIN_URLS: 'nowhere, elsewhere',
      DOWNLOAD_SIGNING_SECRET: 'too-short',
      LOCAL_ADMIN_TOKEN: 'x'.repeat(40),
    };
    expect(() => readConfig(wrong)).toThrow(
      'configuration: PUBLIC_BASE_URL is missing; ORIGIN_URLS must be a URL; ' +
        'DOWNLOAD_SIGNING_SECRET must have at least 32 characters; LOCAL_ADMIN_TOKEN is for local mode only',
    );
  });

  it('names an ORIGIN_URLS without any node', () => {
    expect(() => readConfig({ ...production, ORIGIN_URLS: ' , ' })).toThrow('ORIGIN_URLS must name at least one');
  });
});

describe('local mode', () => {
  it('takes loopback hosts and no others', () => {
    expect(readConfig({ ...bindings, LOCAL_INPUT_HOSTS: '127.0.0.1:9000, localhost:9001' }).localInputHosts).toEqual([
      '127.0.0.1:9000',
      'localhost:9001',
    ]);
    expect(() => readConfig({ ...bindings, LOCAL_INPUT_HOSTS: '10.0.0.1:9000' })).toThrow('10.0.0.1:9000');
  });
});
