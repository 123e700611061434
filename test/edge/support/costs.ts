/** Counts what the platform bills for a piece of work: calls of objects, rows, alarms, messages, object operations. */
import { runInDurableObject } from 'cloudflare:test';
import { vi } from 'vitest';
import { brokenCalls } from './network.ts';
import { accountStub, bindings } from './service.ts';

export type Costs = {
  /** Calls of the account's object, of its history's, of batches'. */
  readonly account: number;
  readonly history: number;
  readonly saga: number;
  readonly rowsWritten: number;
  readonly rowsRead: number;
  /** Each is billed as a row written. */
  readonly alarmsSet: number;
  readonly messages: number;
  /** Puts and deletes; gets and heads. Those of the scripted origin are those of a real one. */
  readonly writesOfObjects: number;
  readonly readsOfObjects: number;
  readonly calls: Readonly<Record<string, number>>;
};

/** Of all objects together, since `counting` began. */
export type Meter = { readonly costs: () => Costs };

/** Undo with `vi.restoreAllMocks()`. Needs an account that exists. */
export const counting = async (accountId: string): Promise<Meter> => {
  const cursors: SqlStorageCursor<never>[] = [];
  let alarmsSet = 0;
  await runInDurableObject(accountStub(accountId), (_object, { storage }) => {
    const sql = Object.getPrototypeOf(storage.sql) as SqlStorage;
    const { exec } = sql;
    vi.spyOn(sql, 'exec').mockImplementation(function (this: SqlStorage, ...statement) {
      const cursor = exec.apply(this, statement) as SqlStorageCursor<never>;
      cursors.push(cursor);
      return cursor;
    } as typeof exec);
    const kind = Object.getPrototypeOf(storage) as DurableObjectStorage;
    const { setAlarm } = kind;
    vi.spyOn(kind, 'setAlarm').mockImplementation(function (this: DurableObjectStorage, ...time) {
      alarmsSet++;
      return setAlarm.apply(this, time);
    });
  });
  const [account, history, saga] = [
    brokenCalls('ACCOUNT', () => undefined).calls,
    brokenCalls('HISTORY', () => undefined).calls,
    brokenCalls('SAGA', () => undefined).calls,
  ];
  let messages = 0;
  const sendBatch = bindings.JOBS.sendBatch.bind(bindings.JOBS);
  vi.spyOn(bindings.JOBS, 'sendBatch').mockImplementation((batch, ...options) => {
    const sent = [...batch];
    messages += sent.length;
    return sendBatch(sent, ...options);
  });
  const counts = { put: 0, delete: 0, get: 0, head: 0 };
  for (const method of Object.keys(counts) as (keyof typeof counts)[]) {
    const real = (bindings.BUCKET[method] as (...args: unknown[]) => unknown).bind(bindings.BUCKET);
    vi.spyOn(bindings.BUCKET, method).mockImplementation(((...args: unknown[]) => {
      counts[method]++;
      return real(...args);
    }) as never);
  }
  const sum = (calls: ReadonlyMap<string, number>): number => [...calls.values()].reduce((a, b) => a + b, 0);
  return {
    costs: () => ({
      account: sum(account),
      history: sum(history),
      saga: sum(saga),
      rowsWritten: cursors.reduce((total, { rowsWritten }) => total + rowsWritten, 0),
      rowsRead: cursors.reduce((total, { rowsRead }) => total + rowsRead, 0),
      alarmsSet,
      messages,
      writesOfObjects: counts.put + counts.delete,
      readsOfObjects: counts.get + counts.head,
      calls: Object.fromEntries([...account, ...history, ...saga]),
    }),
  };
};
