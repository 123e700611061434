import { describe, expect, it } from 'vitest';
import { readConfig } from '../../origin/config.ts';

const SECRET = 'x'.repeat(32);

describe('the configuration', () => {
  it('needs only the secret', () => {
    const config = readConfig({ ORIGIN_SERVICE_SECRET: SECRET });
    expect(config).toMatchObject({ host: '127.0.0.1', providers: ['cpu'], databaseUrl: undefined, model: undefined });
    expect(config.serviceSecrets).toHaveLength(1);
  });

  it('names every variable at fault and repeats no value', () => {
    const wrong = {
      ORIGIN_SERVICE_SECRET: 'short-secret',
      ORIGIN_PORT: '99999',
      DATABASE_URL: 'mysql://user:password@host/db',
      EXECUTION_PROVIDERS: 'metal',
    };
    expect(() => readConfig(wrong)).toThrow(/ORIGIN_PORT.*ORIGIN_SERVICE_SECRET.*DATABASE_URL.*EXECUTION_PROVIDERS/s);
    expect(() => readConfig(wrong)).not.toThrow(/short-secret|password/);
  });

  it('takes providers in order, each once, cpu last', () => {
    expect(readConfig({ ORIGIN_SERVICE_SECRET: SECRET, EXECUTION_PROVIDERS: 'TensorRT, cuda,cpu' }).providers).toEqual([
      'tensorrt',
      'cuda',
      'cpu',
    ]);
    expect(() => readConfig({ ORIGIN_SERVICE_SECRET: SECRET, EXECUTION_PROVIDERS: 'cpu,cuda' })).toThrow(
      /cpu takes what is left over/,
    );
    expect(() => readConfig({ ORIGIN_SERVICE_SECRET: SECRET, EXECUTION_PROVIDERS: 'cuda,cuda' })).toThrow(/twice/);
  });

  it('gives every start a name of its own', () => {
    const env = { ORIGIN_SERVICE_SECRET: SECRET, NODE_NAME: 'gpu-1' };
    expect(readConfig(env).nodeId).toMatch(/^gpu-1-[0-9a-f]{8}$/);
    expect(readConfig(env).nodeId).not.toBe(readConfig(env).nodeId);
  });

  it('accepts the previous secret beside the new one', () => {
    expect(
      readConfig({ ORIGIN_SERVICE_SECRET: SECRET, ORIGIN_SERVICE_SECRET_PREVIOUS: 'y'.repeat(32) }).serviceSecrets,
    ).toHaveLength(2);
  });
});
