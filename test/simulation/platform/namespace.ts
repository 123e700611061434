/**
 * Ids, stubs and calls. Arguments and results are copied as structured clone does. A call may be lost on its way there
 * (nothing happened), on its way back (it did), meet an object that is reset under it, or come late. A stub that has
 * failed stays failed; calls through one stub arrive in their order.
 */
import type { Shelf } from './database.ts';
import { connectionLost, isInfrastructure, overloaded } from './errors.ts';
import { createObject, type MakeInstance, type ObjectHost } from './object.ts';
import { type Actor, running, type Scheduler } from './scheduler.ts';

/** How long a caller waits for an answer that was lost. */
const LOST_AFTER_MS_MAX = 10_000;

type Stub = { broken: Error | undefined; lastArrivalMs: number; readonly open: Set<(error: Error) => void> };

/** `make` constructs an instance over its ctx; `skewMs` is the clock of the machine that a name lives on. */
export const createNamespace = (
  world: Scheduler,
  binding: string,
  skewMs: () => number,
  shelf: Shelf,
  make: MakeInstance,
) => {
  const hosts = new Map<string, ObjectHost>();
  const hostOf = (name: string): ObjectHost => {
    const known = hosts.get(name);
    if (known) return known;
    const host = createObject(world, `${binding} ${name}`, skewMs(), shelf, make);
    hosts.set(name, host);
    return host;
  };
  const get = (id: { readonly name: string }) => stubOf(world, id.name, () => hostOf(id.name));
  const idFromName = (name: string) => ({
    name,
    toString: () => name,
    equals: (other: unknown) => String(other) === name,
  });
  return {
    binding: { idFromName, idFromString: idFromName, get, getByName: (name: string) => get({ name }) },
    hosts,
    host: hostOf,
  };
};

const stubOf = (world: Scheduler, name: string, host: () => ObjectHost): unknown => {
  const stub: Stub = { broken: undefined, lastArrivalMs: 0, open: new Set() };
  return new Proxy(
    { name },
    {
      get: (target, method) => {
        if (method === 'name' || method === 'id') return target.name;
        if (typeof method !== 'string' || method === 'then') return undefined;
        return (...args: unknown[]) => call(world, stub, host, method, args);
      },
    },
  );
};

const call = (
  world: Scheduler,
  stub: Stub,
  host: () => ObjectHost,
  method: string,
  args: unknown[],
): Promise<unknown> => {
  const caller = running.getStore()?.actor;
  if (!caller) throw new Error(`${method} called by nobody`);
  if (stub.broken) return Promise.reject(stub.broken);
  const sent = args.map(copy);
  return new Promise((resolve, reject) => {
    const broken = (error: Error): void => {
      stub.open.delete(broken);
      reject(error);
    };
    stub.open.add(broken);
    const settle = (ms: number, end: () => void): void => void world.after(ms, end, caller);
    const fail = (ms: number, error: Error): void =>
      settle(ms, () => {
        if (isInfrastructure(error)) {
          stub.broken = error;
          for (const other of [...stub.open]) other(error);
        }
        broken(error);
      });
    caller.emit(() =>
      travel(world, stub, host, method, sent, caller, {
        ok: (value) =>
          settle(world.travelMs(), () => {
            stub.open.delete(broken);
            resolve(value);
          }),
        fail,
      }),
    );
  });
};

type Answers = { readonly ok: (value: unknown) => void; readonly fail: (ms: number, error: Error) => void };

const travel = (
  world: Scheduler,
  stub: Stub,
  host: () => ObjectHost,
  method: string,
  args: unknown[],
  caller: Actor,
  answers: Answers,
): void => {
  world.tally('calls');
  const note = (what: string): void => {
    world.tally(`call ${what}`);
    world.trace(() => `${caller.name} → ${host().name}.${method}: ${what}`);
  };
  if (world.chance('requestLost')) {
    note('never arrives');
    answers.fail(world.random.between(5, LOST_AFTER_MS_MAX), connectionLost());
    return;
  }
  if (world.chance('overloaded')) {
    note('refused, overloaded');
    answers.fail(world.random.between(5, 500), overloaded());
    return;
  }
  stub.lastArrivalMs = Math.max(stub.lastArrivalMs, world.now() + world.travelMs());
  world.at(stub.lastArrivalMs, () => {
    const to = host();
    world.tally(`calls of ${to.kind}`);
    if (world.chance('objectReset')) world.after(world.random.pick([0, 0, 5, 40, 400]), to.reset);
    const answerLost = world.chance('replyLost');
    to.invoke(method, args, {
      ok: (value) => {
        tallyResult(world, method, value);
        world.trace(() => `${caller.name} → ${to.name}.${method}(${brief(args)}) = ${brief(value)}`);
        if (answerLost) {
          note('its answer is lost');
          answers.fail(world.random.between(5, LOST_AFTER_MS_MAX), connectionLost());
        } else answers.ok(copy(value));
      },
      fail: (error) => {
        note(`fails: ${error.message}`);
        answers.fail(world.random.between(1, 20), error);
      },
    });
  });
};

/** What objects answered, so that a run can show what it reached. */
const tallyResult = (world: Scheduler, method: string, value: unknown): void => {
  if (typeof value !== 'object' || value === null) return;
  if ('result' in value) world.tally(`${method} ${value.result}`);
  // One call may answer for many images.
  const all = Array.isArray(value) ? value : 'replies' in value && Array.isArray(value.replies) ? value.replies : [];
  for (const one of all) tallyResult(world, method, one);
};

const brief = (value: unknown): string => (JSON.stringify(value) ?? '').slice(0, 160);

/** What crosses a call: plain values, copied. Anything with behaviour is refused, as structured clone refuses it. */
export const copy = (value: unknown): unknown => {
  if (typeof value === 'function' || typeof value === 'symbol')
    throw new DOMException(`Could not serialize object of type "${typeof value}".`, 'DataCloneError');
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copy);
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return structuredClone(value);
  const clone: Record<string, unknown> = {};
  for (const key of Object.keys(value)) clone[key] = copy((value as Record<string, unknown>)[key]);
  return clone;
};
