/** Before each file: the portal's tables, and no network but what a test puts in its place. */
import { applyD1Migrations } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { beforeAll } from 'vitest';
import type { EdgeEnv } from '../../edge/env.ts';

globalThis.fetch = async (input) => {
  throw new TypeError(`no network in tests: ${input instanceof Request ? input.url : String(input)}`);
};

// Expected failures are logged as warnings; what is logged as an error stays to be seen.
console.info = console.warn = () => {};

beforeAll(async () => {
  const { DB, TEST_MIGRATIONS } = env as unknown as EdgeEnv & {
    TEST_MIGRATIONS: Parameters<typeof applyD1Migrations>[1];
  };
  await applyD1Migrations(DB, TEST_MIGRATIONS);
});
