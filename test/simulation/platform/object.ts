/**
 * One Durable Object: its rows, its alarm, and the one life that is in memory. A reset ends that life: memory is gone,
 * what the turn wrote is rolled back, what it sent is not sent, who waited for it gets an error. Rows stay as committed.
 */
import { createAlarm } from './alarm.ts';
import type { Shelf } from './database.ts';
import { asRemote, objectReset } from './errors.ts';
import { countAlarm } from './meter.ts';
import { type Actor, newActor, runAs, type Scheduler } from './scheduler.ts';
import { createStorage } from './storage.ts';

export type Instance = { alarm?: (info: unknown) => Promise<void> } & Record<string, unknown>;
export type MakeInstance = (ctx: unknown) => Instance;
/** Answers one call, once. */
export type Reply = { readonly ok: (value: unknown) => void; readonly fail: (error: Error) => void };

type Life = { readonly actor: Actor; readonly instance: Instance; readonly open: Set<Reply> };

export type ObjectHost = ReturnType<typeof createObject>;

export const createObject = (world: Scheduler, name: string, skewMs: number, shelf: Shelf, make: MakeInstance) => {
  let life: Life | undefined;
  let actor: Actor | undefined;
  let outbox: (() => void)[] = [];
  let dirty = false;
  let alarmSet: { readonly atMs: number | null } | undefined;
  let held: (() => void)[] = [];
  const isFull = { value: false };

  const kind = name.slice(0, name.indexOf(' '));
  const store = createStorage(
    {
      beforeWrite: (statement) => {
        if (
          isFull.value &&
          !/^\s*(delete|drop)/i.test(statement) &&
          (/^\s*insert/i.test(statement) || world.random.chance(0.3))
        ) {
          world.tally('disk full');
          throw new Error('database or disk is full: SQLITE_FULL');
        }
      },
      setAlarm: (atMs) => {
        alarmSet = { atMs };
      },
      alarm: () => (alarmSet ? alarmSet.atMs : alarm.at()),
      wrote: () => {
        if (!dirty) world.atTurnEnd(endTurn);
        dirty = true;
      },
    },
    shelf,
    kind,
  );

  const endTurn = (): void => {
    if (!dirty) return;
    if (world.chance('commitFails')) {
      world.trace(() => `${name}: a commit fails`);
      reset();
      return;
    }
    dirty = false;
    store.commit();
    const [sent, armed] = [outbox, alarmSet];
    [outbox, alarmSet] = [[], undefined];
    if (armed) {
      countAlarm(kind);
      alarm.set(armed.atMs);
    }
    for (const send of sent) send();
  };

  const reset = (): void => {
    world.tally('object reset');
    world.trace(() => `${name}: reset`);
    const ended = life;
    if (actor) actor.alive = false;
    [life, actor, outbox, dirty, alarmSet] = [undefined, undefined, [], false, undefined];
    store.rollback();
    for (const reply of ended?.open ?? []) reply.fail(objectReset());
    const waiting = held;
    held = [];
    for (const resume of waiting) resume();
  };

  /** The life in memory, begun if there is none. Throws what the constructor throws. */
  const wake = (): Life => {
    if (life) return life;
    const emit = (send: () => void): void => {
      if (dirty) outbox.push(send);
      else send();
    };
    const begun = newActor(name, skewMs, emit);
    actor = begun;
    const open = new Set<Reply>();
    const ctx = {
      id: {
        name: name.slice(name.indexOf(' ') + 1),
        toString: () => name,
        equals: (other: unknown) => String(other) === name,
      },
      storage: store.storage,
      waitUntil: (work: Promise<unknown>): void =>
        void work.catch((error: unknown) => world.trace(() => `${name}: waitUntil rejects ${error}`)),
      blockConcurrencyWhile: <T>(work: () => Promise<T>): Promise<T> => block(begun, work),
      abort: () => reset(),
    };
    try {
      const instance = runAs(world, begun, () => make(ctx));
      life = { actor: begun, instance, open };
    } catch (error) {
      reset();
      throw error;
    }
    return life;
  };

  let blocking = 0;
  const block = async <T>(of: Actor, work: () => Promise<T>): Promise<T> => {
    blocking++;
    try {
      return await work();
    } catch (error) {
      if (of.alive) world.after(0, reset);
      throw error;
    } finally {
      blocking--;
      if (blocking === 0) {
        const waiting = held;
        held = [];
        for (const resume of waiting) world.after(0, resume);
      }
    }
  };

  const invoke = (method: string, args: readonly unknown[], reply: Reply): void => {
    if (world.chance('evicted') && life && life.open.size === 0) reset();
    let running: Life;
    try {
      running = wake();
    } catch (error) {
      reply.fail(asRemote(error));
      return;
    }
    if (blocking > 0) {
      held.push(() => invoke(method, args, reply));
      return;
    }
    const call = running.instance[method];
    if (typeof call !== 'function') {
      reply.fail(asRemote(new TypeError(`no method ${method}`)));
      return;
    }
    running.open.add(reply);
    const answer = (send: () => void): void =>
      running.actor.emit(() => {
        if (running.open.delete(reply)) send();
      });
    runAs(world, running.actor, () => {
      let result: Promise<unknown>;
      try {
        result = Promise.resolve(call.apply(running.instance, args));
      } catch (error) {
        result = Promise.reject(error);
      }
      result.then(
        (value) => running.actor.alive && answer(() => reply.ok(value)),
        (error: unknown) => {
          if (running.actor.alive) answer(() => reply.fail(asRemote(error)));
        },
      );
    });
  };

  const alarm = createAlarm(
    world,
    name,
    skewMs,
    (info) =>
      new Promise((resolve, reject) => {
        if (world.chance('objectReset')) world.after(world.random.between(0, 40), reset);
        invoke('alarm', [info], { ok: () => resolve(), fail: reject });
      }),
  );

  return {
    kind,
    name,
    invoke,
    reset,
    store,
    alarmAt: alarm.at,
    alarmWasLost: alarm.wasLost,
    isFull,
    inMemory: (): boolean => life !== undefined,
  };
};
