/** One worker thread: the edge's modules behind the stand-ins, and a share of the seeds. */
import { parentPort, workerData } from 'node:worker_threads';
import { type Covered, startCoverage } from './coverage.ts';
import type { Faults } from './platform/faults.ts';
import { installGlobals } from './platform/globals.ts';
import { installHooks, type Patch } from './platform/hooks.ts';
import type { Result } from './run.ts';

/** Seeds `first`, `first + step`, … below `end`. Stops at the first finding unless `all`. */
export type Share = {
  readonly first: number;
  readonly step: number;
  readonly end: number;
  readonly patches: readonly Patch[];
  readonly tracing: boolean;
  readonly coverage: boolean;
  /** Goes on after a finding. */
  readonly all: boolean;
  readonly certain: Partial<Faults>;
};
export type Summary = Omit<Result, 'tallies'> & { readonly tallies: readonly (readonly [string, number])[] };

const share = workerData as Share;
installHooks(share.patches);
installGlobals();
if (!share.tracing) Error.stackTraceLimit = 0;
const coverage = share.coverage ? startCoverage() : undefined;
const { runSeed } = await import('./run.ts');
process.on('unhandledRejection', (error) => {
  parentPort?.postMessage({ unhandled: error instanceof Error ? error.stack : String(error) });
});

const total = new Map<string, number>();
const add = (what: string, count: number): void => void total.set(what, (total.get(what) ?? 0) + count);

for (let seed = share.first; seed < share.end; seed += share.step) {
  const result = await runSeed(seed, share.tracing, share.certain);
  add('events', result.events);
  add('checks', result.checks);
  add('seeds', 1);
  for (const [what, count] of result.tallies) add(what, count);
  if (result.findings.length > 0 || result.broken !== null || share.tracing) {
    parentPort?.postMessage({ result: { ...result, tallies: [...result.tallies] } satisfies Summary });
    if (!share.all && !share.tracing) break;
  }
}
const covered: readonly Covered[] = coverage?.() ?? [];
parentPort?.postMessage({ total: [...total], covered });
