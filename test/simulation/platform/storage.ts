/**
 * SQLite storage of one Durable Object, over node:sqlite in memory. What is written between two awaits is one
 * transaction: committed when the turn ends, or lost as a whole where the object is reset first.
 */
import { createDatabase, kindOf, type Result, type Row, type Shelf, type SqlValue } from './database.ts';
import { countRows } from './meter.ts';

/** `beforeWrite` may throw, as a full disk does; `wrote` says that the turn has something to commit. */
export type StorageHooks = {
  readonly beforeWrite: (statement: string) => void;
  readonly setAlarm: (atMs: number | null) => void;
  readonly alarm: () => number | null;
  readonly wrote: () => void;
};

/** `kind` is the object's class. */
export const createStorage = (hooks: StorageHooks, shelf: Shelf, kind: string) => {
  const database = createDatabase(shelf);
  let inTurn = false;
  let depth = 0;

  const startTurn = (): void => {
    if (!inTurn) database.savepoint('turn');
    inTurn = true;
    hooks.wrote();
  };

  const exec = (query: string, ...bindings: SqlValue[]) => {
    if (kindOf(query).reads) return cursor(database.run(query, bindings));
    hooks.beforeWrite(query);
    startTurn();
    const result = database.run(query, bindings);
    countRows(kind, database, query);
    return cursor(result);
  };

  const transactionSync = <T>(work: () => T): T => {
    startTurn();
    const name = `nested${depth++}`;
    database.savepoint(name);
    try {
      const result = work();
      database.release(name);
      return result;
    } catch (error) {
      database.rollback(name);
      database.release(name);
      throw error;
    } finally {
      depth--;
    }
  };

  const storage = {
    sql: {
      exec,
      get databaseSize(): number {
        const [pages] = database.run('pragma page_count', []).rows;
        return Number(pages?.['page_count']) * 4_096;
      },
    },
    transactionSync,
    setAlarm: async (at: number | Date): Promise<void> => {
      startTurn();
      hooks.setAlarm(Number(at));
    },
    getAlarm: async (): Promise<number | null> => hooks.alarm(),
    deleteAlarm: async (): Promise<void> => {
      startTurn();
      hooks.setAlarm(null);
    },
    /** With today's compatibility date the alarm goes too. */
    deleteAll: async (): Promise<void> => {
      startTurn();
      const tables = "select name from sqlite_master where type = 'table' and name not like 'sqlite_%'";
      for (const { name } of database.run(tables, []).rows) database.run(`drop table "${name}"`, []);
      hooks.setAlarm(null);
    },
    sync: async (): Promise<void> => {},
  };

  return {
    storage,
    commit: (): void => {
      if (inTurn) database.release('turn');
      inTurn = false;
    },
    rollback: (): void => {
      if (inTurn) {
        database.rollback('turn');
        database.release('turn');
      }
      inTurn = false;
    },
    /** For auditors: rows as they are committed, read between two turns. */
    read: <T>(query: string, ...bindings: SqlValue[]): T[] => database.run(query, bindings).rows as T[],
    has: (table: string): boolean =>
      database.run("select 1 from sqlite_master where type = 'table' and name = ?", [table]).rows.length > 0,
    close: (): void => database.close(),
  };
};

const cursor = ({ rows, columns: columnNames }: Result) => {
  let next = 0;
  return {
    toArray: (): Row[] => {
      const rest = next === 0 ? rows : rows.slice(next);
      next = rows.length;
      return rest;
    },
    one: (): Row => {
      if (rows.length !== 1) throw new Error(`Expected exactly one result from SQL query, but got ${rows.length}.`);
      return rows[0] as Row;
    },
    next: (): IteratorResult<Row> =>
      next < rows.length ? { done: false, value: rows[next++] as Row } : { done: true, value: undefined },
    [Symbol.iterator](): Iterator<Row> {
      return this;
    },
    columnNames,
    /** Rows returned, not rows visited: see README.md. */
    rowsRead: rows.length,
    rowsWritten: 0,
  };
};
