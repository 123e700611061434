import { describe, expect, it } from 'vitest';
import { plantedBugs } from './planted-bugs.ts';
import { runSeeds } from './pool.ts';

const MINUTES = 60_000;

it(
  'under every kind of trouble the code of the edge breaks none of the laws of money',
  async () => {
    const { results, totals, unhandled } = await runSeeds({ from: 0, seeds: 400, workers: 2 });
    for (const { seed, findings, broken } of results) expect({ seed, findings, broken }).toBeNull();
    expect(unhandled).toEqual([]);
    // A run that never met these would prove little.
    const rare = [
      'alarm lost',
      'call its answer is lost',
      'call never arrives',
      'call refused, overloaded',
      'deployment',
      'disk full',
      'invocation killed',
      'message lost',
      'object reset',
      'origin dies',
      'r2 answer lost',
    ];
    for (const what of rare) expect(totals.get(what) ?? 0, what).toBeGreaterThan(0);
    // A consumer that breaks twelve times in a row has become so rare that a seed that has one is run for it.
    const worst = await runSeeds({ from: 560, seeds: 1, workers: 1 });
    expect(worst.results).toEqual([]);
    expect(worst.totals.get('dead letter') ?? 0).toBeGreaterThan(0);
  },
  10 * MINUTES,
);

it('the same seed gives the same run, event by event', async () => {
  const run = async (seed: number, workers: number) => {
    const { results } = await runSeeds({ from: seed - (workers - 1), seeds: workers, workers: 1, tracing: true });
    return results.at(-1);
  };
  for (const seed of [7, 20, 34]) {
    // The second time after another seed in the same thread: no run leaves anything behind.
    const [first, second] = [await run(seed, 1), await run(seed, 2)];
    expect(first?.trace.length).toBeGreaterThan(0);
    expect(second?.trace).toEqual(first?.trace);
    expect([second?.digest, second?.events, second?.checks]).toEqual([first?.digest, first?.events, first?.checks]);
  }
}, 60_000);

describe('a bug planted in the code of the edge is found', () => {
  it.each(plantedBugs)(
    '$name, within $seeds seeds',
    async ({ patches, seeds }) => {
      const { results } = await runSeeds({ from: 0, seeds, workers: 2, patches });
      // Without the bug these seeds find nothing, so whatever they find is the bug.
      expect(results.flatMap(({ findings }) => findings)).not.toEqual([]);
    },
    5 * MINUTES,
  );
});

it('a bug whose line is not there any more is an error, not a pass', async () => {
  const patches = [{ file: 'edge/batch/schema.ts', find: 'a line that nobody wrote', replace: '' }];
  await expect(runSeeds({ from: 0, seeds: 1, workers: 1, patches })).rejects.toThrow('has 0 places, not one');
}, 60_000);
