/** Before each file: the portal's tables. */
import { applyD1Migrations } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { beforeAll } from 'vitest';
import type { EdgeEnv } from '../../edge/env.ts';

beforeAll(async () => {
  const { DB, TEST_MIGRATIONS } = env as unknown as EdgeEnv & { TEST_MIGRATIONS: Parameters<typeof applyD1Migrations>[1] };
  await applyD1Migrations(DB, TEST_MIGRATIONS);
});
