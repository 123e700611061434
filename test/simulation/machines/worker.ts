/** Runs every `step`th seed of a range and reports once: the first seed that failed, or none, and what was reached. */
import { parentPort, workerData } from 'node:worker_threads';
import { runSeed } from './run.ts';

export type Share = { readonly first: number; readonly step: number; readonly end: number };
export type WorkerMessage = {
  readonly failedSeed: number | undefined;
  readonly tallies: readonly (readonly [string, number])[];
};

const { first, step, end } = workerData as Share;
const tallies = new Map<string, number>([
  ['events', 0],
  ['checks', 0],
]);
const add = (what: string, count: number): void => void tallies.set(what, (tallies.get(what) ?? 0) + count);

let failedSeed: number | undefined;
for (let seed = first; seed < end && failedSeed === undefined; seed += step) {
  const report = await runSeed(seed);
  add('events', report.events);
  add('checks', report.checks);
  for (const [what, count] of report.tallies) add(what, count);
  if (report.failure !== null) failedSeed = seed;
}
parentPort?.postMessage({ failedSeed, tallies: [...tallies] } satisfies WorkerMessage);
