import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-plugin';
import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { testVariables } from './test/edge/variables.ts';

type Reporters = NonNullable<NonNullable<ViteUserConfig['test']>['reporters']>;

const node = (name: string, include: string[], testTimeout: number) => ({
  test: {
    name,
    include,
    environment: 'node' as const,
    pool: 'forks' as const,
    testTimeout,
    hookTimeout: testTimeout * 2,
  },
});

/** CI reads its counts from a file. */
const reporters: Reporters = process.env['TEST_REPORT']
  ? ['default', ['json', { outputFile: process.env['TEST_REPORT'] }]]
  : ['default'];

export default defineConfig({
  test: {
    // Two cores: the edge project starts a workerd and the others the model; more at once only makes each slower.
    maxWorkers: 2,
    reporters,
    projects: [
      node(
        'unit',
        [
          'test/shared/**/*.test.ts',
          'test/local/**/*.test.ts',
          'test/chaos/**/*.test.ts',
          'test/models/**/*.test.ts',
          'test/simulation/**/*.test.ts',
          'test/python-client/**/*.test.ts',
          'test/fuzz/**/*.test.ts',
          'test/architecture.test.ts',
        ],
        60_000,
      ),
      {
        plugins: [
          cloudflareTest(async () => ({
            wrangler: { configPath: './wrangler.toml' },
            remoteBindings: false,
            miniflare: {
              bindings: { ...testVariables, TEST_MIGRATIONS: await readD1Migrations('./edge/portal/migrations') },
            },
          })),
        ],
        test: {
          name: 'edge',
          include: ['test/edge/**/*.test.ts'],
          setupFiles: ['./test/edge/setup.ts'],
          testTimeout: 30_000,
        },
      },
      node('origin', ['test/origin/**/*.test.ts'], 120_000),
      node('clients', ['test/clients/**/*.test.ts'], 300_000),
      node('e2e', ['test/e2e/**/*.test.ts'], 300_000),
    ],
  },
});
