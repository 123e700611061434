/**
 * Rows that statements write, as Cloudflare bills them: each row, and each entry of an index that changes with it; making
 * a table, an index or a trigger is a row too, and so is setting an alarm. Off while seeds run.
 */
import type { Database } from './database.ts';

export const meter = { isOn: false, rows: new Map<string, number>() };

const add = (kind: string, rows: number): void => void meter.rows.set(kind, (meter.rows.get(kind) ?? 0) + rows);

export const countAlarm = (kind: string): void => {
  if (meter.isOn) add(kind, 1);
};

/** After `query` was run on an object of this class. */
export const countRows = (kind: string, database: Database, query: string): void => {
  if (!meter.isOn) return;
  const made = query.match(/\b(create (table|index|trigger)|alter table)\b/gi)?.length ?? 0;
  if (made > 0 || /\bmigration\b/.test(query)) {
    add(kind, Math.max(1, made));
    return;
  }
  const { verb, table, set } = partsOf(query);
  if (table === undefined) return;
  const rows = Number(database.run('select changes() as n', []).rows[0]?.['n'] ?? 0);
  if (rows === 0) return;
  const indexes = indexesOf(database, table).filter((columns) => verb !== 'update' || columns.some((c) => set.has(c)));
  add(kind, rows * (1 + indexes.length));
};

type Parts = {
  readonly verb: 'insert' | 'update' | 'delete' | undefined;
  readonly table: string | undefined;
  readonly set: ReadonlySet<string>;
};

const partsOf = (query: string): Parts => {
  const found = /\b(insert(?: or \w+)? into|update|delete from)\s+"?(\w+)"?/i.exec(query);
  const verb = found?.[1]?.slice(0, 6).toLowerCase() as Parts['verb'];
  // An upsert changes what its list says; where it inserts, that is counted too low by its indexes at most.
  const set = new Set([...query.matchAll(/"?(\w+)"?\s*=/g)].map(([, column]) => column ?? ''));
  return { verb, table: found?.[2], set };
};

/** The columns of each index; the primary key of a table without row ids is the table itself. */
const indexesOf = (database: Database, table: string): string[][] => {
  const list = database.run(`pragma index_list("${table}")`, []).rows;
  const master = database.run(`select sql from sqlite_master where name = '${table}'`, []).rows[0]?.['sql'];
  const isWithoutRowId = /without rowid/i.test(String(master));
  return list
    .filter(({ origin }) => !(isWithoutRowId && origin === 'pk'))
    .map(({ name }) => database.run(`pragma index_info("${name}")`, []).rows.map((row) => String(row['name'])));
};
