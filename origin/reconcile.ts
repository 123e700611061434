/**
 * `npm run reconcile [-- --grace-seconds 600]`: compares ledger entries, batches and jobs and lists every disagreement.
 * Checkpoints are verified with SERVICE_PUBLIC_KEYS, and with ORIGIN_SERVICE_SECRET where that signed them. Reads DATABASE_URL, or the embedded database under DATA_DIR, whether its node runs or not. Exit code 0: all agree,
 * 1: something disagrees, 2: the comparison failed.
 */
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { readEnvironment, secret } from '../shared/configuration.ts';
import type { CheckpointKeys } from '../shared/ledger-checkpoint.ts';
import { publicKeysText } from '../shared/service-key.ts';
import { type Database, openDatabase } from './db/database.ts';
import { isEmbeddedRunning, startEmbedded } from './db/embedded.ts';
import { migrate } from './db/migrate.ts';
import { reconcile } from './db/reconcile/reconcile.ts';
import { originLimits } from './limits.ts';

type Opened = { readonly database: Database; close(): Promise<void> };

const rethrow = (error: Error): never => {
  throw error;
};

/**
 * A running node's embedded database is shared through its socket; that of a stopped node is started for as long as it
 * takes.
 */
const open = async (env: NodeJS.ProcessEnv): Promise<Opened> => {
  if (env['DATABASE_URL']) {
    const database = openDatabase({ connectionString: env['DATABASE_URL'] }, 1, () => undefined);
    return { database, close: database.close };
  }
  const dataDir = resolve(env['DATA_DIR'] ?? '.data');
  const running = await isEmbeddedRunning(dataDir);
  const embedded = running ? undefined : await startEmbedded(dataDir, rethrow);
  const database = openDatabase(
    embedded?.connection ?? { host: join(dataDir, 'postgres'), user: 'postgres', database: 'postgres' },
    1,
    () => undefined,
  );
  const close = async (): Promise<void> => {
    await database.close();
    await embedded?.close();
  };
  return { database, close };
};

const variables = z.object({
  SERVICE_PUBLIC_KEYS: publicKeysText.default([]),
  ORIGIN_SERVICE_SECRET: secret.optional(),
});

/** Each account signs its checkpoint anew within a day of a change of keys. */
const keysOf = (env: NodeJS.ProcessEnv): CheckpointKeys => {
  const given = readEnvironment('configuration', variables, env);
  return {
    publicKeys: given.SERVICE_PUBLIC_KEYS,
    secrets: given.ORIGIN_SERVICE_SECRET ? [given.ORIGIN_SERVICE_SECRET] : [],
  };
};

const main = async (): Promise<number> => {
  const { values } = parseArgs({
    options: { 'grace-seconds': { type: 'string', default: String(originLimits.reconcile.graceMs / 1000) } },
  });
  const graceMs = Number(values['grace-seconds']) * 1000;
  if (!(graceMs >= 0)) throw new Error('--grace-seconds takes a number of seconds');
  const { database, close } = await open(process.env);
  try {
    await migrate(database);
    let found = 0;
    const rows = await reconcile(database, { graceMs, keys: keysOf(process.env) }, ({ kind, subject, detail }) => {
      found++;
      process.stdout.write(`${kind}  ${subject}  ${detail}\n`);
    });
    const compared = `${rows.entries} ledger entries, ${rows.batches} batches, ${rows.jobs} jobs`;
    process.stdout.write(`${compared}: ${found} disagreement${found === 1 ? '' : 's'}\n`);
    return found === 0 ? 0 : 1;
  } finally {
    await close();
  }
};

process.exitCode = await main().catch((error: unknown) => {
  process.stderr.write(`reconcile: ${error instanceof Error ? error.message : String(error)}\n`);
  return 2;
});
