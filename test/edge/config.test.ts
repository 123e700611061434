import { describe, expect, it } from 'vitest';
import { readConfig } from '../../edge/config.ts';
import type { EdgeEnv, ImageMessage } from '../../edge/env.ts';
import { connect } from '../../edge/services.ts';
import { queueSender } from '../../edge/stores/queue.ts';
import { systemClock } from '../../shared/clock.ts';
import { newId } from '../../shared/ids.ts';
import { publicUrl } from '../../shared/public-address.ts';
import { publicKeyOf } from '../../shared/service-key.ts';
import { publicKeySet, signingKey } from '../support/service-keys.ts';
import { bindings } from './support/service.ts';

const production: EdgeEnv = {
  ...bindings,
  ENVIRONMENT: 'production',
  PUBLIC_BASE_URL: 'https://api.packshot.shop/',
  ORIGIN_URLS: 'https://node-1.packshot.shop, https://node-2.packshot.shop',
  SERVICE_SIGNING_KEY: JSON.stringify({ ...signingKey, kid: 'of-production' }),
  DOWNLOAD_SIGNING_SECRET: 'c'.repeat(40),
  R2_S3_ENDPOINT: 'https://account.r2.cloudflarestorage.com',
  LOCAL_ADMIN_TOKEN: '',
  LOCAL_INPUT_HOSTS: '',
  OWN_ZONES: 'packshot.shop',
};

it('HEIC is taken where TAKE_HEIC says so, and nowhere else', () => {
  expect(readConfig(production).takesHeic).toBe(false);
  expect(readConfig({ ...production, TAKE_HEIC: 'off' }).takesHeic).toBe(false);
  expect(readConfig({ ...production, TAKE_HEIC: 'on' }).takesHeic).toBe(true);
  expect(() => readConfig({ ...production, TAKE_HEIC: 'yes' })).toThrow('TAKE_HEIC');
});

describe('the queues of images', () => {
  it('are as many as JOB_QUEUES says, one where it says nothing', () => {
    expect(readConfig(production).jobQueues).toBe(1);
    expect(readConfig({ ...production, JOB_QUEUES: '4' }).jobQueues).toBe(4);
    for (const wrong of ['0', '65', 'two', '1.5'])
      expect(() => readConfig({ ...production, JOB_QUEUES: wrong })).toThrow('JOB_QUEUES');
  });

  it('must all be bound: one that is missing stops the start and is named', () => {
    const own = { ...bindings, JOB_QUEUES: '3', JOBS_1: bindings.JOBS };
    expect(() => connect(own, readConfig(own))).toThrow('JOBS_2');
    const all = { ...own, JOBS_2: bindings.JOBS };
    expect(() => connect(all, readConfig(all))).not.toThrow();
  });

  it('have their accounts spread evenly, and each account always in the same one', async () => {
    const sent: string[][] = [[], [], [], []];
    const queues = sent.map((into) => ({
      sendBatch: async (messages: Iterable<{ body: ImageMessage }>) => {
        for (const { body } of messages) into.push('batch_id' in body ? body.batch_id : '');
      },
    }));
    const send = queueSender(queues as unknown as Queue<ImageMessage>[], systemClock);
    const accounts = Array.from({ length: 400 }, (_, i) =>
      newId('account', 1_700_000_000_000 + i, (n) => crypto.getRandomValues(new Uint8Array(n))),
    );
    for (const account of [...accounts, ...accounts]) await send(account, account, [0, 1]);
    for (const into of sent) {
      expect(into.length).toBeGreaterThan(2 * 60);
      for (const account of new Set(into)) expect(into.filter((id) => id === account)).toHaveLength(2);
    }
    expect(sent.flat()).toHaveLength(800);
  });
});

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
    ['SERVICE_SIGNING_KEY', bindings.SERVICE_SIGNING_KEY],
    ['DOWNLOAD_SIGNING_SECRET', bindings.DOWNLOAD_SIGNING_SECRET],
  ] as const)('refuses to start with %s of local mode, and names it', (name, value) => {
    expect(() => readConfig({ ...production, [name]: value })).toThrow(name);
  });

  it.each([
    ['PUBLIC_BASE_URL', 'http://api.packshot.shop'],
    ['ORIGIN_URLS', 'https://node-1.packshot.shop, http://node-2.packshot.shop'],
    ['R2_S3_ENDPOINT', 'http://account.r2.cloudflarestorage.com'],
    ['DNS_OVER_HTTPS_URL', 'http://resolver.packshot.shop/dns-query'],
    ['DOWNLOAD_SIGNING_SECRET', 'short'],
    ['SERVICE_SIGNING_KEY', publicKeySet],
    ['SERVICE_SIGNING_KEY', JSON.stringify(publicKeyOf(signingKey))],
    ['SERVICE_SIGNING_KEY', 'b'.repeat(40)],
    ['AUTH_SECRET', production.DOWNLOAD_SIGNING_SECRET],
  ] as const)('refuses to start with an unsafe %s, and names it', (name, value) => {
    expect(() => readConfig({ ...production, [name]: value })).toThrow(name);
  });

  it('takes the service token of Cloudflare Access whole or not at all', () => {
    const access = { ACCESS_CLIENT_ID: 'id.access', ACCESS_CLIENT_SECRET: 's'.repeat(64) };
    expect(readConfig(production).access).toBeUndefined();
    expect(readConfig({ ...production, ...access }).access).toEqual({
      clientId: 'id.access',
      clientSecret: 's'.repeat(64),
    });
    for (const name of Object.keys(access))
      expect(() => readConfig({ ...production, ...access, [name]: '' })).toThrow(
        'ACCESS_CLIENT_ID and ACCESS_CLIENT_SECRET',
      );
  });

  it('starts at every step of a change of its secret', () => {
    const { DOWNLOAD_SIGNING_SECRET: old } = production;
    const both = { ...production, DOWNLOAD_SIGNING_SECRET_PREVIOUS: old };
    expect(readConfig(both).downloadSecrets).toEqual([old, old]);
    expect(readConfig({ ...both, DOWNLOAD_SIGNING_SECRET: 'n'.repeat(40) }).downloadSecrets).toEqual([
      'n'.repeat(40),
      old,
    ]);
    expect(() => readConfig({ ...both, AUTH_SECRET_PREVIOUS: old })).toThrow('AUTH_SECRET_PREVIOUS');
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
