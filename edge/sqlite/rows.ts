/** Rows of a Durable Object's SQLite: columns are named like the fields, so a row needs no mapping. */

export const all = <Row>(sql: SqlStorage, query: string, ...bindings: SqlStorageValue[]): Row[] =>
  sql.exec(query, ...bindings).toArray() as Row[];

export const first = <Row>(sql: SqlStorage, query: string, ...bindings: SqlStorageValue[]): Row | undefined =>
  all<Row>(sql, query, ...bindings)[0];

/** Writes the whole row in place of one with the same primary key. Column names come from code, never from a caller. */
export const put = (sql: SqlStorage, table: string, row: Readonly<Record<string, SqlStorageValue>>): void => {
  const columns = Object.keys(row);
  const set = columns.map((column) => `"${column}" = excluded."${column}"`).join(', ');
  const names = columns.map((column) => `"${column}"`).join(', ');
  sql.exec(
    `insert into ${table} (${names}) values (${columns.map(() => '?').join(', ')}) on conflict do update set ${set}`,
    ...Object.values(row),
  );
};

/**
 * Applies the scripts not yet applied, in order, each in one transaction with its number. Forward only. `fresh` makes at
 * once what all scripts together make, for an object that has nothing yet: each statement is rows written.
 */
export const migrate = (storage: DurableObjectStorage, scripts: readonly string[], fresh?: string): void => {
  if (fresh !== undefined && !isMigrated(storage.sql)) {
    storage.transactionSync(() => {
      storage.sql.exec('create table migration (number integer primary key)');
      storage.sql.exec(fresh);
      storage.sql.exec('insert into migration values (?)', scripts.length - 1);
    });
    return;
  }
  storage.sql.exec('create table if not exists migration (number integer primary key)');
  const done =
    first<{ number: number | null }>(storage.sql, 'select max(number) as number from migration')?.number ?? -1;
  for (const [number, script] of scripts.entries()) {
    if (number <= done) continue;
    storage.transactionSync(() => {
      storage.sql.exec(script);
      storage.sql.exec('insert into migration values (?)', number);
    });
  }
};

/** Whether the object was ever set up; asking writes nothing. */
export const isMigrated = (sql: SqlStorage): boolean =>
  all(sql, "select 1 from sqlite_master where type = 'table' and name = 'migration'").length > 0;
