import { describe, expect, it } from 'vitest';
import type { Machines } from './machines.ts';
import { plantedBugs } from './planted-bugs.ts';
import { type Report, runSeed } from './run.ts';

const firstFailure = async (machines: Machines, seeds: number): Promise<Report | undefined> => {
  for (let seed = 0; seed < seeds; seed++) {
    const report = await runSeed(seed, machines);
    if (report.failure !== null) return report;
  }
  return undefined;
};

it('under every kind of trouble no credit is lost, doubled or charged without a file', async () => {
  const reached = new Map<string, number>();
  for (let seed = 0; seed < 300; seed++) {
    const report = await runSeed(seed);
    expect(report.failure, `seed ${seed}\n${report.trace.slice(-40).join('\n')}`).toBeNull();
    for (const [what, count] of report.tallies) reached.set(what, (reached.get(what) ?? 0) + count);
  }
  // A run that never met these would prove little.
  const rare = [
    'crash',
    'dead letter',
    'effect settle of tick',
    'effect ask_hold of tick',
    'effect dispatch of tick',
    'idempotency: taken_over',
    'ledger hold: insufficient_credits',
    'ledger resolve: already_posted',
    'batch start: late',
  ];
  for (const what of rare) expect(reached.get(what) ?? 0, what).toBeGreaterThan(0);
});

it('the same seed gives the same run, to the last line of its trace', async () => {
  for (const seed of [2, 16, 805]) {
    const [first, second] = [await runSeed(seed), await runSeed(seed)];
    expect(second.trace).toEqual(first.trace);
    expect([second.digest, second.events, second.checks]).toEqual([first.digest, first.events, first.checks]);
  }
  expect((await runSeed(3)).digest).not.toBe((await runSeed(4)).digest);
});

describe('a planted bug is found within 300 seeds', () => {
  it.each(Object.entries(plantedBugs))('%s', async (_bug, machines) => {
    const found = await firstFailure(machines, 300);
    expect(found?.failure).toBeTruthy();
    expect((await runSeed(found!.seed, machines)).failure).toBe(found!.failure);
  });
});
