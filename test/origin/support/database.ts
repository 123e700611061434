/** A real embedded database in a folder of its own, migrated, for one test file. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, openDatabase } from '../../../origin/db/database.ts';
import { startEmbedded } from '../../../origin/db/embedded.ts';
import { migrate } from '../../../origin/db/migrate.ts';

export type TestDatabase = { database: Database; dataDir: string; close(): Promise<void> };

const rethrow = (error: Error): never => {
  throw error;
};

export const openTestDatabase = async (): Promise<TestDatabase> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'packshot-db-'));
  const embedded = await startEmbedded(dataDir, rethrow);
  const database = openDatabase(embedded.connection, embedded.poolMax, () => undefined);
  await migrate(database);
  return {
    database,
    dataDir,
    close: async () => {
      await database.close();
      await embedded.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
};
