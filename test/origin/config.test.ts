import { describe, expect, it } from 'vitest';
import { readConfig } from '../../origin/config.ts';
import { publicKeyOf, publicKeySetOf } from '../../shared/service-key.ts';
import { nextSigningKey, publicKeySet, signingKey } from '../support/service-keys.ts';

const STORAGE_URLS = 'https://account.r2.cloudflarestorage.com/packshot';
/** Keys that are no test's are not refused in production. */
const own = { ...publicKeyOf(signingKey), kid: 'of-production' };
const production = { SERVICE_PUBLIC_KEYS: publicKeySetOf([own]), STORAGE_URLS };
const NOW = Date.parse('2026-12-01T12:00:00Z');

describe('the configuration', () => {
  it('needs only the public keys and the address of the storage, and is that of production', () => {
    const config = readConfig(production);
    expect(config).toMatchObject({ host: '127.0.0.1', providers: ['cpu'], databaseUrl: undefined, model: undefined });
    expect(config.serviceKeys).toEqual({ publicKeys: [own] });
    expect(config.storageUrls).toEqual([STORAGE_URLS]);
    for (const name of Object.keys(production)) expect(() => readConfig({ ...production, [name]: '' })).toThrow(name);
  });

  it('names every variable at fault and repeats no value', () => {
    const wrong = {
      ...production,
      ORIGIN_SERVICE_SECRET: 'short-secret',
      ORIGIN_PORT: '99999',
      DATABASE_URL: 'mysql://user:password@host/db',
      EXECUTION_PROVIDERS: 'metal',
    };
    expect(() => readConfig(wrong)).toThrow(/ORIGIN_PORT.*ORIGIN_SERVICE_SECRET.*DATABASE_URL.*EXECUTION_PROVIDERS/s);
    expect(() => readConfig(wrong)).not.toThrow(/short-secret|password/);
  });

  it('takes providers in order, each once, cpu last', () => {
    expect(readConfig({ ...production, EXECUTION_PROVIDERS: 'TensorRT, cuda,cpu' }).providers).toEqual([
      'tensorrt',
      'cuda',
      'cpu',
    ]);
    expect(() => readConfig({ ...production, EXECUTION_PROVIDERS: 'cpu,cuda' })).toThrow(/cpu takes what is left over/);
    expect(() => readConfig({ ...production, EXECUTION_PROVIDERS: 'cuda,cuda' })).toThrow(/twice/);
  });

  it('gives every start a name of its own', () => {
    const env = { ...production, NODE_NAME: 'gpu-1' };
    expect(readConfig(env).nodeId).toMatch(/^gpu-1-[0-9a-f]{8}$/);
    expect(readConfig(env).nodeId).not.toBe(readConfig(env).nodeId);
  });

  it('takes several public keys at once, each under a name of its own, and no private one', () => {
    const [next, again] = [
      { ...publicKeyOf(nextSigningKey), kid: 'next' },
      { ...publicKeyOf(nextSigningKey), kid: own.kid },
    ];
    expect(
      readConfig({ ...production, SERVICE_PUBLIC_KEYS: publicKeySetOf([own, next]) }).serviceKeys.publicKeys,
    ).toEqual([own, next]);
    const refused = [
      publicKeySetOf([own, again]),
      publicKeySetOf([]),
      publicKeySetOf([{ ...signingKey, kid: 'private' }]),
      JSON.stringify(own),
      'not JSON',
    ];
    for (const keys of refused) {
      expect(() => readConfig({ ...production, SERVICE_PUBLIC_KEYS: keys })).toThrow(
        /SERVICE_PUBLIC_KEYS must be a JWKS/,
      );
      expect(() => readConfig({ ...production, SERVICE_PUBLIC_KEYS: keys })).not.toThrow(signingKey.d);
    }
  });
});

describe('production', () => {
  const secret = { ORIGIN_SERVICE_SECRET: 'x'.repeat(32) };

  it.each([
    ['STORAGE_URLS', 'http://account.r2.cloudflarestorage.com/packshot'],
    ['SERVICE_PUBLIC_KEYS', publicKeySet],
    ['ORIGIN_SERVICE_SECRET', 'local-secret-0123456789-0123456789'],
  ])('refuses to start with an unsafe %s, and names it', (name, value) => {
    expect(() => readConfig({ ...production, ENVIRONMENT: 'local', [name]: value })).not.toThrow();
    expect(() => readConfig({ ...production, [name]: value })).toThrow(name);
  });

  it('takes the shared secret of the release before, alone or beside the keys, for some weeks', () => {
    const untilMs = Date.parse('2026-12-15');
    const old = { ...secret, ORIGIN_SERVICE_SECRET_UNTIL: '2026-12-15', STORAGE_URLS };
    expect(readConfig(old, NOW).serviceKeys).toMatchObject({ publicKeys: [], sharedSecret: { untilMs } });
    expect(readConfig({ ...old, ...production }, NOW).serviceKeys).toMatchObject({
      publicKeys: [own],
      sharedSecret: { untilMs },
    });
  });

  it.each([undefined, '2026-11-30', '2027-02-01', 'soon'])('refuses the shared secret with %s as its end', (end) => {
    const old = { ...production, ...secret, ORIGIN_SERVICE_SECRET_UNTIL: end };
    expect(() => readConfig(old, NOW)).toThrow('ORIGIN_SERVICE_SECRET_UNTIL');
  });
});
