/**
 * SQLite storage of one Durable Object, over node:sqlite in memory. What is written between two awaits is one
 * transaction: committed when the turn ends, or lost as a whole where the object is reset first.
 */
import { DatabaseSync, type StatementSync } from 'node:sqlite';

export type SqlValue = ArrayBuffer | string | number | null;
type Row = Record<string, SqlValue>;

/** `beforeWrite` may throw, as a full disk does; `wrote` says that the turn has something to commit. */
export type StorageHooks = {
  readonly beforeWrite: (statement: string) => void;
  readonly setAlarm: (atMs: number | null) => void;
  readonly alarm: () => number | null;
  readonly wrote: () => void;
};

const READS = /^\s*(select|explain|pragma|with(?![\s\S]*\b(insert|update|delete)\b))/i;
const DEFINES = /^\s*(create|alter|drop)/i;
const MORE = /;\s*\S/;

export type ObjectStorage = ReturnType<typeof createStorage>;

export const createStorage = (hooks: StorageHooks) => {
  const database = new DatabaseSync(':memory:');
  const statements = new Map<string, Prepared>();
  let inTurn = false;
  let depth = 0;

  const statement = (query: string): Prepared => {
    const known = statements.get(query);
    if (known) return known;
    const made = prepare(database, query);
    statements.set(query, made);
    return made;
  };
  const run = (query: string): void => void statement(query).statement.run();
  const startTurn = (): void => {
    if (!inTurn) run('savepoint turn');
    inTurn = true;
    hooks.wrote();
  };

  const exec = (query: string, ...bindings: SqlValue[]) => {
    const reads = READS.test(query);
    if (!reads) {
      hooks.beforeWrite(query);
      startTurn();
    }
    // Rows of "select *" have other columns from then on.
    if (DEFINES.test(query)) statements.clear();
    if (bindings.length === 0 && MORE.test(query)) {
      database.exec(query);
      return cursor([], []);
    }
    const prepared = statement(query);
    return cursor(rowsOf(prepared, bindings), prepared.columns);
  };

  const transactionSync = <T>(work: () => T): T => {
    startTurn();
    const name = `nested${depth++}`;
    run(`savepoint ${name}`);
    try {
      const result = work();
      run(`release ${name}`);
      return result;
    } catch (error) {
      run(`rollback to ${name}`);
      run(`release ${name}`);
      throw error;
    } finally {
      depth--;
    }
  };

  const storage = {
    sql: {
      exec,
      get databaseSize(): number {
        const pages = database.prepare('pragma page_count').get() as { page_count: number };
        return pages.page_count * 4_096;
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
      for (const { name } of database
        .prepare("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'")
        .all() as { name: string }[])
        database.exec(`drop table "${name}"`);
      hooks.setAlarm(null);
    },
    sync: async (): Promise<void> => {},
  };

  return {
    storage,
    commit: (): void => {
      if (inTurn) run('release turn');
      inTurn = false;
    },
    rollback: (): void => {
      if (inTurn) {
        run('rollback to turn');
        run('release turn');
      }
      inTurn = false;
    },
    /** For auditors: rows as they are committed, read between two turns. */
    read: <T>(query: string, ...bindings: SqlValue[]): T[] => rowsOf(statement(query), bindings) as T[],
    has: (table: string): boolean =>
      rowsOf(statement("select 1 from sqlite_master where type = 'table' and name = ?"), [table]).length > 0,
    close: (): void => database.close(),
  };
};

type Prepared = {
  readonly statement: StatementSync;
  readonly columns: readonly string[];
  readonly rowOf: (values: readonly SqlValue[]) => Row;
};
type RowOf = Prepared['rowOf'];
const builders = new Map<string, RowOf>();

/** Rows come as arrays and become objects by a function made once for their columns: three times as fast. */
const prepare = (database: DatabaseSync, query: string): Prepared => {
  const statement = database.prepare(query);
  const columns = statement.columns().map(({ name }) => name);
  statement.setReturnArrays(true);
  const key = JSON.stringify(columns);
  const rowOf =
    builders.get(key) ??
    (new Function('v', `return {${columns.map((name, i) => `${JSON.stringify(name)}: v[${i}]`).join(', ')}}`) as RowOf);
  builders.set(key, rowOf);
  return { statement, columns, rowOf };
};

const rowsOf = ({ statement, rowOf }: Prepared, bindings: readonly SqlValue[]): Row[] =>
  (statement.all(...(bindings as never[])) as unknown as SqlValue[][]).map(rowOf);

const cursor = (rows: Row[], columnNames: readonly string[]) => {
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
