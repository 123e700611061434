/** Runs seeds on worker threads, each with modules and globals of its own; shared by the command and the test. */
import { Worker } from 'node:worker_threads';
import type { Covered } from './coverage.ts';
import type { Faults } from './platform/faults.ts';
import type { Patch } from './platform/hooks.ts';
import type { Share, Summary } from './thread.ts';

export type Order = {
  readonly from: number;
  readonly seeds: number;
  readonly workers: number;
  readonly patches?: readonly Patch[];
  readonly tracing?: boolean;
  readonly coverage?: boolean;
  readonly all?: boolean;
  /** Faults that every run has. */
  readonly certain?: Partial<Faults>;
  /** Hears of each run with findings as it ends. */
  readonly hear?: (result: Summary) => void;
};
export type Outcome = {
  /** Runs with findings, lowest seed first; all runs where a trace was asked for. */
  readonly results: readonly Summary[];
  readonly totals: ReadonlyMap<string, number>;
  readonly unhandled: readonly string[];
  readonly covered: readonly Covered[];
};
type Message = {
  readonly result?: Summary;
  readonly total?: readonly (readonly [string, number])[];
  readonly unhandled?: string;
  readonly covered?: readonly Covered[];
};

export const runSeeds = async (order: Order): Promise<Outcome> => {
  const [results, totals, unhandled] = [[] as Summary[], new Map<string, number>(), [] as string[]];
  const allCovered: Covered[] = [];
  const hear = ({ result, total, unhandled: error, covered = [] }: Message): void => {
    allCovered.push(...covered);
    if (result) {
      results.push(result);
      order.hear?.(result);
    }
    if (error !== undefined) unhandled.push(error);
    for (const [what, count] of total ?? []) totals.set(what, (totals.get(what) ?? 0) + count);
  };
  const { from, seeds, workers, patches = [], tracing = false, coverage = false, all = false, certain = {} } = order;
  await Promise.all(
    Array.from({ length: Math.min(workers, seeds) }, (_, place) =>
      runShare(
        { first: from + place, step: workers, end: from + seeds, patches, tracing, coverage, all, certain },
        hear,
      ),
    ),
  );
  results.sort((a, b) => a.seed - b.seed);
  return { results, totals, unhandled, covered: allCovered };
};

const runShare = (share: Share, hear: (message: Message) => void): Promise<void> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./thread.ts', import.meta.url), {
      workerData: share,
      resourceLimits: { maxYoungGenerationSizeMb: 64 },
    });
    worker.on('error', reject);
    worker.on('message', hear);
    worker.on('exit', () => resolve());
  });
