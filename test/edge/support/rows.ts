/** Counts what statements cost. */
import { expect, vi } from 'vitest';

/** Rows that all statements of `work` on this object's database read and wrote. */
export const rowsOf = async (
  { storage }: DurableObjectState,
  work: () => Promise<unknown>,
): Promise<{ readonly read: number; readonly written: number }> => {
  const cursors: SqlStorageCursor<never>[] = [];
  const kind = Object.getPrototypeOf(storage.sql) as SqlStorage;
  const { exec } = kind;
  const spy = vi.spyOn(kind, 'exec').mockImplementation(function (this: SqlStorage, ...statement) {
    const cursor = exec.apply(this, statement) as SqlStorageCursor<never>;
    cursors.push(cursor);
    return cursor;
  } as typeof exec);
  await work();
  spy.mockRestore();
  expect(cursors.length).toBeGreaterThan(0);
  return {
    read: cursors.reduce((sum, { rowsRead }) => sum + rowsRead, 0),
    written: cursors.reduce((sum, { rowsWritten }) => sum + rowsWritten, 0),
  };
};
