/**
 * The SQLite database of one object, over node:sqlite in memory. Preparing a schema and its statements costs more than a
 * short life uses them, so a database whose object is gone is wound back to its empty tables and serves the next object of
 * its class. An object never sees that: until its own migrations have run, word for word as recorded, it reads an empty
 * database; whatever goes another way (a failed write, a rollback, other statements) happens to a fresh one.
 */
import { DatabaseSync, type StatementSync } from 'node:sqlite';

export type SqlValue = ArrayBuffer | string | number | null;
export type Row = Record<string, SqlValue>;
export type Result = { readonly rows: Row[]; readonly columns: readonly string[] };
type Execute = (query: string, bindings: readonly SqlValue[]) => Result;
/** Runs the migrations of a class from nothing; `storage` is as much of an object's as that needs. */
export type Migrate = (storage: unknown) => void;

const READS = /^\s*(select|explain|pragma|with(?![\s\S]*\b(insert|update|delete)\b))/i;
const DEFINES = /^\s*(create|alter|drop)/i;
const TABLES = /^\s*select [^;]* from sqlite_master\b/i;
const MORE = /;\s*\S/;

type Kind = {
  readonly reads: boolean;
  readonly defines: boolean;
  readonly many: boolean;
  readonly asksTables: boolean;
};
const kinds = new Map<string, Kind>();
export const kindOf = (query: string): Kind => {
  const known = kinds.get(query);
  if (known) return known;
  const kind = {
    reads: READS.test(query),
    defines: DEFINES.test(query),
    many: MORE.test(query),
    asksTables: TABLES.test(query),
  };
  kinds.set(query, kind);
  return kind;
};

type Connection = ReturnType<typeof connect>;

/** A database of its own, with the statements prepared so far. */
const connect = () => {
  const database = new DatabaseSync(':memory:');
  const statements = new Map<string, Prepared>();
  /** Tables have changed since `start` was said. */
  let isAltered = true;
  const statement = (query: string): Prepared => {
    const known = statements.get(query);
    if (known) return known;
    const made = prepare(database, query);
    statements.set(query, made);
    return made;
  };
  const execute = (query: string, bindings: readonly SqlValue[]): Result => {
    if (bindings.length === 0 && kindOf(query).many) {
      database.exec(query);
      return { rows: [], columns: [] };
    }
    const { statement: prepared, columns, rowOf } = statement(query);
    return { rows: (prepared.all(...(bindings as never[])) as unknown as SqlValue[][]).map(rowOf), columns };
  };
  const controls = new Map<string, StatementSync>();
  /** Savepoints: no rows, no bindings. */
  const control = (query: string): void => {
    const known = controls.get(query);
    if (known) return void known.run();
    const made = database.prepare(query);
    controls.set(query, made);
    made.run();
  };
  /** Which tables there are is asked with every call and changes with the tables alone. */
  const tables = new Map<string, Result>();
  const answerOnce = (query: string, bindings: readonly SqlValue[]): Result => {
    const key = `${query} ${bindings}`;
    const { rows, columns } = tables.get(key) ?? execute(query, bindings);
    tables.set(key, { rows, columns });
    return { rows: [...rows], columns };
  };
  const version = (): unknown => execute('pragma schema_version', []).rows[0]?.['schema_version'];
  const run = (query: string, bindings: readonly SqlValue[] = []): Result => {
    const { defines, asksTables } = kindOf(query);
    if (asksTables && !isAltered) return answerOnce(query, bindings);
    if (!defines) return execute(query, bindings);
    // "create … if not exists" is said at every start and mostly changes nothing.
    const before = version();
    const result = execute(query, bindings);
    if (version() !== before) {
      isAltered = true;
      // Rows of "select *" have other columns from now on.
      statements.clear();
    }
    return result;
  };
  return {
    run,
    control,
    /** What follows can be undone by `rewind`. */
    start: (): void => {
      isAltered = false;
      control('savepoint start');
    },
    rewind: (): void => control('rollback to start'),
    isAltered: (): boolean => isAltered,
    close: (): void => database.close(),
  };
};

type Prepared = {
  readonly statement: StatementSync;
  readonly columns: readonly string[];
  readonly rowOf: (values: readonly SqlValue[]) => Row;
};
const builders = new Map<string, Prepared['rowOf']>();

/** Rows come as arrays and become objects by a function made once for their columns: three times as fast. */
const prepare = (database: DatabaseSync, query: string): Prepared => {
  // SQLite plans by the value bound to a limit and prepares the statement anew at every binding; not by a sum's.
  const statement = database.prepare(query.replace(/\blimit \?/gi, 'limit 0 + ?'));
  const columns = statement.columns().map(({ name }) => name);
  statement.setReturnArrays(true);
  const key = JSON.stringify(columns);
  const rowOf =
    builders.get(key) ??
    (new Function('v', `return {${columns.map((name, i) => `${JSON.stringify(name)}: v[${i}]`).join(', ')}}`) as never);
  builders.set(key, rowOf);
  return { statement, columns, rowOf };
};

type Step = { readonly query: string; readonly bindings: readonly SqlValue[]; readonly result: Result };
/** What the migrations of one class say, and databases in which they have been run. */
export type Shelf = ReturnType<typeof createShelf>;

export const createShelf = (migrate: Migrate) => {
  const spare: Connection[] = [];
  let steps: readonly Step[] | undefined;
  const make = (): Connection => {
    const connection = connect();
    const said: Step[] = [];
    const exec = (query: string, ...bindings: SqlValue[]) => {
      const result = connection.run(query, bindings);
      said.push({ query, bindings, result });
      return { toArray: () => result.rows };
    };
    migrate({ sql: { exec }, transactionSync: (work: () => void) => work() });
    steps ??= said;
    connection.start();
    return connection;
  };
  return {
    take: (): Connection => spare.pop() ?? make(),
    giveBack: (connection: Connection): void => {
      connection.rewind();
      spare.push(connection);
    },
    steps: (): readonly Step[] => {
      if (!steps) spare.push(make());
      return steps ?? [];
    },
  };
};

/** What an object reads that has never written. */
const nothing = connect();
nothing.start();

export type Database = ReturnType<typeof createDatabase>;

export const createDatabase = (shelf: Shelf) => {
  let connection: Connection | undefined;
  let isFromShelf = false;
  /** The outermost savepoint is older than the tables. */
  let isYoung = true;
  let at = 0;
  /** What has been said and not been done, and the savepoints that are open. */
  let unsaid: (readonly [string, readonly SqlValue[]])[] = [];
  let open: string[] = [];

  /** A fresh database, to which everything that was said is done. */
  const begin = (): Connection => {
    const fresh = connect();
    for (const [query, bindings] of unsaid) fresh.run(query, bindings);
    [connection, isFromShelf, unsaid] = [fresh, false, []];
    return fresh;
  };
  const adopt = (): Connection => {
    const adopted = shelf.take();
    for (const name of open) adopted.control(`savepoint ${name}`);
    [connection, isFromShelf, unsaid] = [adopted, true, []];
    return adopted;
  };
  const leave = (): void => {
    if (connection && isFromShelf && !connection.isAltered()) shelf.giveBack(connection);
    else connection?.close();
    [connection, isFromShelf, isYoung, at, unsaid, open] = [undefined, false, true, 0, [], []];
  };

  const run: Execute = (query, bindings) => {
    if (connection) return connection.run(query, bindings);
    if (at === 0 && kindOf(query).reads) return nothing.run(query, bindings);
    const steps = shelf.steps();
    const step = steps[at];
    if (step && step.query === query && isSame(step.bindings, bindings)) {
      at++;
      unsaid.push([query, bindings]);
      return { ...step.result, rows: step.result.rows.map((row) => ({ ...row })) };
    }
    return (at === steps.length && open.length <= 1 ? adopt() : begin()).run(query, bindings);
  };
  const control = (verb: string, name: string): void => {
    if (connection) connection.control(`${verb} ${name}`);
    else unsaid.push([`${verb} ${name}`, []]);
  };

  return {
    run,
    savepoint: (name: string): void => {
      if (!connection && open.length === 1 && at === shelf.steps().length) adopt();
      control('savepoint', name);
      open.push(name);
    },
    release: (name: string): void => {
      control('release', name);
      open.pop();
      if (open.length === 0 && connection) isYoung = false;
      if (open.length > 0 || connection) return;
      if (at === 0) unsaid = [];
      else if (at < shelf.steps().length) begin();
      else isYoung = false;
    },
    rollback: (name: string): void => {
      if (isFromShelf && isYoung && open.length === 1) {
        // Undone with everything else of the turn: the tables.
        leave();
        control('savepoint', name);
        open.push(name);
        return;
      }
      if (!connection && at > 0) begin();
      control('rollback to', name);
    },
    close: leave,
  };
};

const isSame = (a: readonly SqlValue[], b: readonly SqlValue[]): boolean =>
  a.length === b.length && a.every((value, i) => value === b[i]);
