/** A node's database, ready to be asked: the embedded one, or the server that DATABASE_URL names. */
import { type Database, openDatabase } from './database.ts';
import { startEmbedded } from './embedded.ts';
import { migrate } from './migrate.ts';

export type DatabaseOptions = {
  /** Undefined: the embedded database under `dataDir`. */
  readonly databaseUrl: string | undefined;
  readonly dataDir: string;
  readonly databasePool: number;
};
export type DatabaseEvents = {
  /** The embedded database ended without being asked to. */
  onDeath(error: Error): void;
  /** An idle connection broke; the pool replaces it by itself. */
  onBrokenConnection(error: Error): void;
  onReady(facts: { embedded: boolean; migrations: readonly string[] }): void;
};

/** Migrated. Throws where the folder is in use or the database is newer than this code. */
export const openNodeDatabase = async (options: DatabaseOptions, events: DatabaseEvents): Promise<Database> => {
  const embedded = options.databaseUrl === undefined ? await startEmbedded(options.dataDir, events.onDeath) : undefined;
  const database = openDatabase(
    embedded?.connection ?? { connectionString: options.databaseUrl },
    embedded?.poolMax ?? options.databasePool,
    events.onBrokenConnection,
  );
  events.onReady({ embedded: embedded !== undefined, migrations: await migrate(database) });
  return {
    ...database,
    close: async () => {
      await database.close();
      await embedded?.close();
    },
  };
};
