/**
 * One line of time for everything. After each event all code that can go on does so (promises, streams), then the turn
 * ends: objects commit what they wrote and let out what they sent. The same seed gives the same order.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Random } from '../random.ts';
import type { Faults } from './faults.ts';

/** Who runs: an invocation of a Worker, one life of a Durable Object, a client, a server outside. */
export type Actor = {
  readonly name: string;
  /** Its clock, by which it differs from the others. */
  readonly skewMs: number;
  /** An actor that has ended hears nothing any more: its timers, answers and messages are dropped. */
  alive: boolean;
  /** Lets a message out now, or, for an object with writes not yet committed, once they are. */
  readonly emit: (send: () => void) => void;
};

export const running = new AsyncLocalStorage<{ readonly actor: Actor; readonly world: Scheduler }>();

export type Timer = { cancelled: boolean };
type Event = Timer & {
  readonly atMs: number;
  readonly order: number;
  readonly actor: Actor | undefined;
  readonly run: () => void;
};

/** Far above what a run needs; only a loop that feeds itself gets there. */
const EVENTS_MAX = 400_000;
const TRACE_LINES_MAX = 20_000;

export type Scheduler = ReturnType<typeof createScheduler>;

export const createScheduler = (random: Random, faults: Faults, startMs: number, tracing = false) => {
  let nowMs = startMs;
  let order = 0;
  let ran = 0;
  let fatal: unknown;
  let digest = 0x811c9dc5;
  const events = createHeap();
  const lines: string[] = [];
  const tallies = new Map<string, number>();
  const turn = new Set<() => void>();

  const at = (atMs: number, run: () => void, actor?: Actor): Timer => {
    const event: Event = { atMs: Math.max(Math.ceil(atMs), nowMs), order: order++, actor, run, cancelled: false };
    events.push(event);
    return event;
  };

  const scheduler = {
    random,
    faults,
    startMs,
    now: (): number => nowMs,
    at,
    after: (ms: number, run: () => void, actor?: Actor): Timer => at(nowMs + Math.max(0, ms), run, actor),
    /** Called once, when the running turn has come to rest. */
    atTurnEnd: (work: () => void): void => void turn.add(work),
    chance: (fault: keyof Faults): boolean => faults[fault] > 0 && random.chance(faults[fault]),
    /** How long a message travels, ms. */
    travelMs: (): number =>
      faults.slow > 0 && random.chance(faults.slow) ? random.between(500, 45_000) : random.between(1, 30),
    /** Kept only where the run is to be shown: most are not, and a line costs as much as the call it tells of. */
    trace: (line: () => string): void => {
      if (!tracing) return;
      lines.push(`${((nowMs - startMs) / 1_000).toFixed(3).padStart(11)}s ${line()}`);
      if (lines.length > TRACE_LINES_MAX) lines.splice(0, TRACE_LINES_MAX / 2);
    },
    tally: (what: string, times = 1): void => void tallies.set(what, (tallies.get(what) ?? 0) + times),
    tallies,
    lines: (): readonly string[] => lines,
    events: (): number => ran,
    /** Two runs are the same run exactly when these agree: event by event, when and in which order. */
    digest: (): string => (digest >>> 0).toString(16).padStart(8, '0'),
    /** A mistake in the simulation itself ends the run. */
    broken: (error: unknown): void => {
      fatal ??= error;
    },
    run: async (untilMs: number): Promise<void> => {
      for (let event = events.peek(); event && event.atMs <= untilMs; event = events.peek()) {
        events.pop();
        if (event.cancelled || event.actor?.alive === false) continue;
        nowMs = event.atMs;
        if (++ran > EVENTS_MAX) throw new Error(`no rest after ${ran} events`);
        digest = Math.imul(digest ^ (nowMs - startMs) ^ (event.order << 8), 0x01000193);
        const { run, actor } = event;
        if (actor) running.run({ actor, world: scheduler as Scheduler }, run);
        else run();
        await settled();
        while (turn.size > 0) {
          const due = [...turn];
          turn.clear();
          for (const work of due) work();
        }
        if (fatal !== undefined) throw fatal;
      }
      nowMs = Math.max(nowMs, untilMs);
    },
  };
  return scheduler;
};

/** Every promise that can settle has, once the event loop turns. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const immediately = (send: () => void): void => send();

export const newActor = (name: string, skewMs = 0, emit = immediately): Actor => ({ name, skewMs, alive: true, emit });

/** Runs `work` as `actor`, and after it all that it leads to. */
export const runAs = <T>(world: Scheduler, actor: Actor, work: () => T): T => running.run({ actor, world }, work);

/** Binary heap by time, then by order of scheduling. */
const createHeap = () => {
  const heap: Event[] = [];
  const before = (a: Event, b: Event): boolean => a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
  const swap = (i: number, j: number): void => {
    [heap[i], heap[j]] = [heap[j] as Event, heap[i] as Event];
  };
  return {
    peek: (): Event | undefined => heap[0],
    push: (event: Event): void => {
      heap.push(event);
      for (let i = heap.length - 1; i > 0; ) {
        const parent = (i - 1) >> 1;
        if (!before(heap[i] as Event, heap[parent] as Event)) break;
        swap(i, parent);
        i = parent;
      }
    },
    pop: (): void => {
      const last = heap.pop();
      if (!last || heap.length === 0) return;
      heap[0] = last;
      for (let i = 0; ; ) {
        let least = i;
        for (const child of [2 * i + 1, 2 * i + 2])
          if (child < heap.length && before(heap[child] as Event, heap[least] as Event)) least = child;
        if (least === i) break;
        swap(i, least);
        i = least;
      }
    },
  };
};
