/**
 * Numbered SQL files, forward only. Nodes that start at the same time take turns under an advisory lock; each file is
 * applied exactly once.
 */
import { readdir, readFile } from 'node:fs/promises';
import type { Database } from './database.ts';

const FOLDER = new URL('./migrations/', import.meta.url);
const NAME = /^(\d{4})-[a-z0-9-]+\.sql$/;
/** Any fixed number that nothing else in the database locks. */
const LOCK = 7_225_746;

const MIGRATIONS_TABLE = `
create table if not exists migrations (
  number integer primary key,
  name text not null,
  applied_at timestamptz not null default clock_timestamp())`;

type Migration = { readonly number: number; readonly name: string; readonly sql: string };

const readMigrations = async (): Promise<Migration[]> => {
  const names = (await readdir(FOLDER)).filter((name) => NAME.test(name)).sort();
  return Promise.all(
    names.map(async (name) => ({
      number: Number(NAME.exec(name)?.[1]),
      name,
      sql: await readFile(new URL(name, FOLDER), 'utf8'),
    })),
  );
};

/**
 * Names of the files applied now. Throws where the database is newer than this code or a file fails; a failed file
 * leaves nothing behind.
 */
export const migrate = async (database: Database): Promise<string[]> => {
  const migrations = await readMigrations();
  return database.transaction(async (query) => {
    await query('select pg_advisory_xact_lock($1)', [LOCK]);
    await query(MIGRATIONS_TABLE);
    const applied = new Set(
      (await query<{ number: number }>('select number from migrations')).map((row) => row.number),
    );
    const unknown = [...applied].filter((number) => !migrations.some((migration) => migration.number === number));
    if (unknown.length > 0)
      throw new Error(
        `the database has migration ${unknown.join(', ')}, which this version does not know; start a newer version`,
      );
    const missing = migrations.filter((migration) => !applied.has(migration.number));
    for (const migration of missing) {
      await query(migration.sql);
      await query('insert into migrations (number, name) values ($1, $2)', [migration.number, migration.name]);
    }
    return missing.map((migration) => migration.name);
  });
};
