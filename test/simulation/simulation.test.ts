import { beforeAll, describe, expect, it } from 'vitest';
import { laws } from './auditor/laws.ts';
import { fewTestImages, pastBugs } from './past-bugs.ts';
import { plantedBugs } from './planted-bugs.ts';
import { type Outcome, runSeeds } from './pool.ts';

const MINUTES = 60_000;

describe('under every kind of trouble', () => {
  let run: Outcome;
  beforeAll(async () => {
    run = await runSeeds({ from: 0, seeds: 400, workers: 2, all: true });
  }, 10 * MINUTES);

  it('the code of the edge breaks none of the laws of money, and comes to rest', () => {
    for (const { seed, findings, broken } of run.results) expect({ seed, findings, broken }).toBeNull();
    expect(run.unhandled).toEqual([]);
  });

  it.each(Object.entries(laws))('%s: %s', (law) => {
    // A law that was never asked about would prove nothing.
    expect(run.totals.get(`law ${law}`) ?? 0).toBeGreaterThan(0);
    expect(run.results.flatMap(({ findings }) => findings.filter((finding) => finding.law === law))).toEqual([]);
  });

  // A run that never met these would prove little.
  it.each([
    'alarm lost',
    'answer 402 insufficient_credits',
    'answer 402 key_spending_cap_reached',
    'answer 409 idempotency_in_flight',
    'answer 422 idempotency_mismatch',
    'answer 503 outcome_unknown',
    'beginRequest taken_over',
    'call its answer is lost',
    'call never arrives',
    'call refused, overloaded',
    'check 200',
    'check without an answer',
    'completed for 3',
    'deletion 202',
    'deletion 204',
    'deployment',
    'disk full',
    'invocation killed',
    'listening 200',
    'message lost',
    'object reset',
    'old release',
    'origin dies',
    'r2 answer lost',
    'settle already_posted',
  ])('it meets: %s', (what) => {
    expect(run.totals.get(what) ?? 0).toBeGreaterThan(0);
  });
});

it(
  'a message that breaks its consumer every time ends as a dead letter, and its image has one outcome all the same',
  async () => {
    const { results, totals } = await runSeeds({
      from: 0,
      seeds: 40,
      workers: 2,
      certain: { consumerDies: 1, slow: 0.6 },
    });
    expect(results).toEqual([]);
    expect(totals.get('dead letter') ?? 0).toBeGreaterThan(0);
  },
  MINUTES,
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

describe('a defect of an earlier release, planted as it was, is found', () => {
  it.each(pastBugs)(
    '$name, within $seeds seeds, by the law "$law"',
    async ({ patches, seeds, law }) => {
      const { results } = await runSeeds({ from: 0, seeds, workers: 2, patches });
      const found = results.flatMap(({ findings }) => findings.map((finding) => finding.law));
      expect(found, law).not.toEqual([]);
    },
    5 * MINUTES,
  );
});

it(
  'a quota of test images that is soon used up is kept, and breaks no other law',
  async () => {
    const { results, totals } = await runSeeds({ from: 0, seeds: 200, workers: 2, patches: fewTestImages });
    expect(results).toEqual([]);
    expect(totals.get('answer 429 test_quota_exceeded') ?? 0).toBeGreaterThan(0);
  },
  5 * MINUTES,
);

it('a bug whose line is not there any more is an error, not a pass', async () => {
  const patches = [{ file: 'edge/batch/schema.ts', find: 'a line that nobody wrote', replace: '' }];
  await expect(runSeeds({ from: 0, seeds: 1, workers: 1, patches })).rejects.toThrow('has 0 places, not one');
}, 60_000);
