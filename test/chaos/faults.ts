/** What is done to the system, each for a moment of random length, and how it is undone. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../support/random.ts';
import { type Part, signal } from './processes.ts';
import type { ChaosSystem } from './system.ts';

export type Fault = {
  readonly name: string;
  /** Resolves once it is undone, where there is something to undo; the launcher's part is not waited for. */
  inflict(system: ChaosSystem, random: Random): Promise<void>;
};

/** Shorter than what the launcher waits for before it starts a silent tier again. */
const PAUSE_MS = [2_000, 10_000] as const;
/** Longer than that: only a launcher that notices gets the system out of it. */
const STUCK_MS = 30_000;
const FULL_MS = [3_000, 8_000] as const;
const CUT_MS = [500, 5_000] as const;
const DELAY_MS = [100, 1_500] as const;
const NETWORK_MS = [3_000, 12_000] as const;

const pidsOf = (system: ChaosSystem, part: Part): number[] =>
  system
    .processes()
    .filter((running) => running.part === part)
    .map(({ pid }) => pid);

const killed = (name: string, ...parts: readonly Part[]): Fault => ({
  name: `${name} killed`,
  inflict: async (system) => {
    for (const pid of parts.flatMap((part) => pidsOf(system, part))) signal(pid, 'SIGKILL');
  },
});

const stoppedFor = async (pids: readonly number[], ms: number): Promise<void> => {
  for (const pid of pids) signal(pid, 'SIGSTOP');
  await sleep(ms);
  for (const pid of pids) signal(pid, 'SIGCONT');
};

const paused = (part: Part, name: string = part): Fault => ({
  name: `${name} paused`,
  inflict: (system, random) => stoppedFor(pidsOf(system, part), random.integer(...PAUSE_MS)),
});

/** Stopped for longer than anybody waits. */
const stuck = (part: Part, name: string = part): Fault => ({
  name: `${name} stuck`,
  inflict: (system) => stoppedFor(pidsOf(system, part), STUCK_MS),
});

const DISK_FULL: Fault = {
  name: 'disk full',
  inflict: async ({ disk }, random) => {
    await disk.fill?.();
    await sleep(random.integer(...FULL_MS));
    await disk.free();
  },
};

const between = (which: 'origin' | 'store'): Fault[] => {
  const name = which === 'origin' ? 'edge to origin' : 'origin to store';
  return [
    {
      name: `${name} cut`,
      inflict: async ({ proxies }, random) => {
        proxies[which].refuse(true);
        await sleep(random.integer(...CUT_MS));
        proxies[which].refuse(false);
      },
    },
    {
      name: `${name} slow and dropped`,
      inflict: async ({ proxies }, random) => {
        proxies[which].delay(random.integer(...DELAY_MS));
        await sleep(random.integer(...NETWORK_MS));
        proxies[which].cut();
        proxies[which].delay(0);
      },
    },
    {
      name: `${name} silent`,
      inflict: async ({ proxies }, random) => {
        proxies[which].silence(true);
        await sleep(random.integer(...NETWORK_MS));
        proxies[which].silence(false);
      },
    },
  ];
};

/** Those that end the edge, and with it the local queue, come first: what it lost is handed over again minutes later. */
const faultsOf = ({ postgres, disk }: ChaosSystem): readonly (readonly Fault[])[] => [
  [killed('workerd', 'workerd'), stuck('workerd'), killed('edge', 'wrangler', 'workerd', 'esbuild')],
  [
    killed('model', 'model'),
    killed('decoder', 'decoder'),
    killed('node', 'origin'),
    paused('model'),
    paused('decoder'),
    paused('origin', 'node'),
    stuck('origin', 'node'),
    paused('workerd'),
    ...(postgres ? [killed('postgres', 'postgres'), paused('postgres')] : []),
    ...(disk.fill ? [DISK_FULL] : []),
    ...between('origin'),
    ...between('store'),
  ],
];

/** What of the list this machine cannot do, each with its reason. */
export const leftOut = ({ postgres, disk }: ChaosSystem): string[] => [
  'a worker thread is no process: it is killed with its node',
  ...(postgres ? [] : ['PostgreSQL is not installed: the embedded database is a thread, and is killed with its node']),
  ...(disk.fill ? [] : ['no disk may be mounted here: none is filled']),
];

const shuffled = <T>(list: readonly T[], random: Random): T[] =>
  list
    .map((item) => ({ item, at: random.next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);

/** All of them in random order, and then all again. */
export function* deckOf(system: ChaosSystem, random: Random): Generator<Fault, never> {
  for (;;) for (const group of faultsOf(system)) yield* shuffled(group, random);
}
