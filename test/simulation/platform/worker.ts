/**
 * The Worker: a few isolates, each with a memory and a clock of its own, and invocations in them. An invocation ends
 * when its answer is out and what it handed to `waitUntil` is done, at most 30 s later; when its caller leaves it has
 * those 30 s too, and none where it handed over nothing. A deployment or a crash ends isolates with all they were doing.
 */
import { type Actor, newActor, runAs, type Scheduler, type Timer } from './scheduler.ts';

const GRACE_MS = 30_000;

export type Context = {
  readonly waitUntil: (work: Promise<unknown>) => void;
  readonly passThroughOnException: () => void;
  readonly props: Record<string, never>;
};
export type Ended<T> =
  | { readonly kind: 'returned'; readonly value: T }
  | { readonly kind: 'threw'; readonly error: unknown }
  | { readonly kind: 'killed' };
export type Invocation = { readonly actor: Actor; readonly kill: () => void; readonly disconnect: () => void };
type Isolate<Handlers> = {
  readonly handlers: Handlers;
  readonly skewMs: number;
  readonly invocations: Set<Invocation>;
};

export type Isolates<Handlers> = ReturnType<typeof createIsolates<Handlers>>;

/** `make` is the Worker's module evaluated anew. */
export const createIsolates = <Handlers>(
  world: Scheduler,
  count: number,
  skewMs: () => number,
  make: () => Handlers,
) => {
  let made = 0;
  const start = (): Isolate<Handlers> => {
    const own = { skewMs: skewMs(), invocations: new Set<Invocation>() };
    const handlers = runAs(world, newActor(`isolate ${made++}`, own.skewMs), make);
    return { ...own, handlers };
  };
  const isolates = Array.from({ length: count }, start);

  const stop = (isolate: Isolate<Handlers>): void => {
    for (const invocation of [...isolate.invocations]) invocation.kill();
  };
  const restart = (place: number): void => {
    const old = isolates[place] as Isolate<Handlers>;
    world.trace(() => `isolate at place ${place} is replaced`);
    isolates[place] = start();
    stop(old);
  };

  /** Runs `work` in some isolate; `hear` is told of its end once. */
  const invoke = <T>(
    label: string,
    work: (handlers: Handlers, context: Context) => Promise<T>,
    hear: (end: Ended<T>) => void,
    msMax = Number.POSITIVE_INFINITY,
  ): Invocation => {
    let heard = false;
    const ended = (end: Ended<T>): void => {
      if (!heard) hear(end);
      heard = true;
    };
    const place = world.random.between(0, isolates.length - 1);
    if (world.chance('isolateDies')) {
      const dying = isolates[place];
      world.after(world.random.between(0, 20_000), () => isolates[place] === dying && restart(place));
    }
    const isolate = isolates[place] as Isolate<Handlers>;
    const actor = newActor(label, isolate.skewMs);
    let [waits, answered, left] = [0, false, false];
    let limit: Timer | undefined;
    const over = (): void => {
      actor.alive = false;
      isolate.invocations.delete(invocation);
      if (limit) limit.cancelled = true;
    };
    const kill = (): void => {
      if (!actor.alive) return;
      over();
      world.tally('invocation killed');
      world.trace(() => `${label}: killed`);
      ended({ kind: 'killed' });
    };
    const rest = (): void => {
      if (actor.alive && waits === 0 && (answered || left)) kill();
    };
    const grace = (): void => {
      if (waits === 0) over();
      else world.after(GRACE_MS, kill);
    };
    const settle = (end: Ended<T>): void => {
      if (!actor.alive || answered) return;
      answered = true;
      ended(end);
      grace();
    };
    const context: Context = {
      waitUntil: (promise) => {
        waits++;
        const done = (): void => {
          waits--;
          if (answered && waits === 0 && actor.alive) over();
          else if (left) rest();
        };
        promise.then(done, (error: unknown) => {
          world.trace(() => `${label}: waitUntil rejects ${error}`);
          done();
        });
      },
      passThroughOnException: () => {},
      props: {},
    };
    const invocation: Invocation = {
      actor,
      kill,
      disconnect: () => {
        if (!actor.alive || answered || left) return;
        left = true;
        world.trace(() => `${label}: its client has left`);
        ended({ kind: 'killed' });
        if (waits === 0) kill();
        else world.after(GRACE_MS, kill);
      },
    };
    isolate.invocations.add(invocation);
    if (Number.isFinite(msMax)) limit = world.after(msMax, kill);
    runAs(world, actor, () => {
      work(isolate.handlers, context).then(
        (value) => settle({ kind: 'returned', value }),
        (error: unknown) => settle({ kind: 'threw', error }),
      );
    });
    return invocation;
  };

  return {
    invoke,
    /** A deployment: every isolate is replaced, and what ran in the old ones is cut off. */
    restart: (): void => {
      for (const place of isolates.keys()) restart(place);
    },
  };
};
