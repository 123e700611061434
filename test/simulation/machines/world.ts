/**
 * Time, network and crashes. Everything that happens is an event on one line of time; after each event all code that
 * can go on does so before the next one
 * begins. A node that crashes forgets what it was doing and what it waited for; what it saved stays.
 */
import type { Random } from '../random.ts';

/** Probabilities, per opportunity. All zero once the world has calmed down. */
export type Faults = {
  requestLost: number;
  replyLost: number;
  doubled: number;
  crashBefore: number;
  crashAfter: number;
  alarmLate: number;
  alarmTwice: number;
  messageLost: number;
  messageDoubled: number;
  storeFails: number;
  originBusy: number;
  slow: number;
};

/** What a caller sees of a broken call: it cannot know whether the other side has acted. */
export class Unreachable extends Error {}

export type Node = {
  readonly name: string;
  readonly epoch: () => number;
  readonly crash: () => void;
  readonly onCrash: (callback: () => void) => void;
};

/** Longest a caller waits for the answer of a call that was lost. */
const LOST_AFTER_MS = 5_000;

/** Far above what a run needs; only a loop that feeds itself gets there. */
const EVENTS_MAX = 50_000;

export type World = ReturnType<typeof createWorld>;

export const createWorld = (random: Random, faults: Faults, startMs: number) => {
  let nowMs = startMs;
  let sequence = 0;
  let fatal: unknown;
  let ran = 0;
  const events = createHeap();
  const lines: string[] = [];

  const at = (atMs: number, run: () => void): void =>
    events.push({ atMs: Math.max(atMs, nowMs), sequence: sequence++, run });
  const after = (ms: number, run: () => void): void => at(nowMs + ms, run);
  const trace = (line: string): void => {
    lines.push(`${((nowMs - startMs) / 1000).toFixed(3).padStart(11)}s ${line}`);
    if (lines.length > 4_000) lines.splice(0, 2_000);
  };

  const tallies = new Map<string, number>();
  /** Counts what happened, so that a run can show what it reached. */
  const tally = (what: string): void => void tallies.set(what, (tallies.get(what) ?? 0) + 1);

  const travelMs = (): number => (random.chance(faults.slow) ? random.between(500, 90_000) : random.between(1, 40));

  const node = (name: string): Node => {
    let epoch = 0;
    let callbacks: (() => void)[] = [];
    return {
      name,
      epoch: () => epoch,
      crash() {
        epoch++;
        tally('crash');
        trace(`${name} crashes`);
        const broken = callbacks;
        callbacks = [];
        for (const callback of broken) callback();
      },
      onCrash: (callback) => void callbacks.push(callback),
    };
  };

  /** A wait of `from`; never ends if the node crashes meanwhile. */
  const sleep = (from: Node, ms: number): Promise<void> => {
    const epoch = from.epoch();
    return new Promise((resolve) => after(ms, () => from.epoch() === epoch && resolve()));
  };

  /**
   * One call over the network. `handle` runs at `to` in one step (what it saves is saved), and may go on to wait.
   * Rejects with Unreachable where either way is
   * lost or `to` crashes; never settles where `from` crashes. `doubles: false` for what no network repeats by itself
   * and nobody could tell from a second wish.
   */
  const call = <T>(from: Node, to: Node, handle: () => T | Promise<T>, { doubles = true } = {}): Promise<T> => {
    const fromEpoch = from.epoch();
    return new Promise<T>((resolve, reject) => {
      const settle = (ms: number, run: () => void): void => after(ms, () => from.epoch() === fromEpoch && run());
      const broken = (ms = LOST_AFTER_MS): void => settle(ms, () => reject(new Unreachable(to.name)));
      const arrive = (answered: boolean): void => {
        if (random.chance(faults.crashBefore)) {
          to.crash();
          return answered ? broken(10) : undefined;
        }
        const toEpoch = to.epoch();
        const answer = attempt(handle);
        if (random.chance(faults.crashAfter)) to.crash();
        if (!answered) return void answer.catch(() => {});
        let open = true;
        to.onCrash(() => open && broken(10));
        if (to.epoch() !== toEpoch) {
          open = false;
          answer.catch(() => {});
          return broken(10);
        }
        const reply = (run: () => void): void => {
          open = false;
          if (to.epoch() !== toEpoch) return;
          if (random.chance(faults.replyLost)) broken();
          else settle(travelMs(), run);
        };
        answer.then(
          (value) => reply(() => resolve(value)),
          (error: unknown) => reply(() => reject(error)),
        );
      };
      if (random.chance(faults.requestLost)) return broken();
      after(travelMs(), () => arrive(true));
      if (doubles && random.chance(faults.doubled)) after(travelMs() + travelMs(), () => arrive(false));
    });
  };

  /**
   * Starts a process on a node, one event later. It ends silently when a call of its is broken; any other error is a
   * finding and ends the run.
   */
  const spawn = (on: Node, process: () => Promise<unknown>): void => {
    const epoch = on.epoch();
    after(0, () => {
      if (on.epoch() === epoch)
        process().catch((error: unknown) => void (error instanceof Unreachable || (fatal ??= error)));
    });
  };

  /** Runs events until none is left before `untilMs` or `stop` says so. */
  const run = async (untilMs: number, stop: () => boolean = () => false): Promise<void> => {
    for (let event = events.peek(); event && event.atMs <= untilMs && !stop(); event = events.peek()) {
      events.pop();
      nowMs = event.atMs;
      if (++ran > EVENTS_MAX) throw new Error(`no rest after ${ran} events`);
      event.run();
      await settled();
      if (fatal !== undefined) throw fatal;
    }
    if (!stop()) nowMs = Math.max(nowMs, untilMs);
  };

  return {
    now: () => nowMs,
    random,
    faults,
    at,
    after,
    sleep,
    node,
    call,
    spawn,
    run,
    trace,
    tally,
    tallies,
    lines: () => lines,
    events: () => ran,
  };
};

/** A refusal to connect is an answer like any other; anything else thrown is a finding. */
const attempt = <T>(handle: () => T | Promise<T>): Promise<T> => {
  try {
    return Promise.resolve(handle());
  } catch (error) {
    if (error instanceof Unreachable) return Promise.reject(error);
    throw error;
  }
};

/** Every promise that can settle has, once the event loop turns. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

type Event = { readonly atMs: number; readonly sequence: number; readonly run: () => void };

/** Binary heap by time, then by order of scheduling. */
const createHeap = () => {
  const heap: Event[] = [];
  const before = (a: Event, b: Event): boolean => a.atMs < b.atMs || (a.atMs === b.atMs && a.sequence < b.sequence);
  const swap = (i: number, j: number): void => {
    [heap[i], heap[j]] = [heap[j]!, heap[i]!];
  };
  return {
    peek: (): Event | undefined => heap[0],
    push(event: Event): void {
      heap.push(event);
      for (let i = heap.length - 1; i > 0; ) {
        const parent = (i - 1) >> 1;
        if (!before(heap[i]!, heap[parent]!)) break;
        swap(i, parent);
        i = parent;
      }
    },
    pop(): void {
      const last = heap.pop();
      if (!last || heap.length === 0) return;
      heap[0] = last;
      for (let i = 0; ; ) {
        let first = i;
        for (const child of [2 * i + 1, 2 * i + 2])
          if (child < heap.length && before(heap[child]!, heap[first]!)) first = child;
        if (first === i) break;
        swap(i, first);
        i = first;
      }
    },
  };
};
