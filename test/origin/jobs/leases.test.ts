import { afterEach, describe, expect, it } from 'vitest';
import type { HeldLease } from '../../../origin/db/job-store.ts';
import { createLeases, type Leases } from '../../../origin/jobs/leases.ts';

const LEASE_MS = 30_000;
let leases: Leases;
afterEach(() => leases.stop());

/** `renew` answers what the test gives it; the timers are never waited for. */
const setUp = (renew: (held: readonly HeldLease[]) => Promise<Set<string>>) => {
  let time = 0;
  const lost: string[] = [];
  const faults: unknown[] = [];
  leases = createLeases(
    { renew },
    { leaseMs: LEASE_MS, clock: { nowMs: () => time }, onFault: (error) => faults.push(error) },
  );
  return {
    lost,
    faults,
    hold: (id: string) => leases.hold(id, 1n, time, () => lost.push(id)),
    pass: (ms: number) => {
      time += ms;
      return leases.renew();
    },
  };
};

describe('the leases of a node', () => {
  it('last for as long as they are renewed', async () => {
    const t = setUp((held) => Promise.resolve(new Set(held.map((lease) => lease.jobId))));
    t.hold('a');
    for (let i = 0; i < 10; i++) await t.pass(10_000);
    expect(t.lost).toEqual([]);
    expect(leases.held()).toBe(1);
  });

  it('are given up before they run out in the database, when it cannot be reached', async () => {
    const t = setUp(() => Promise.reject(new Error('down')));
    t.hold('a');
    await t.pass(26_999);
    expect(t.lost).toEqual([]);
    await t.pass(1);
    expect(t.lost).toEqual(['a']);
    expect(t.faults).toHaveLength(1);
  });

  it('are given up when another node has taken the job', async () => {
    const t = setUp((held) =>
      Promise.resolve(new Set(held.map((lease) => lease.jobId).filter((id) => id !== 'taken'))),
    );
    t.hold('kept');
    t.hold('taken');
    await t.pass(10_000);
    expect(t.lost).toEqual(['taken']);
    expect(leases.held()).toBe(1);
  });

  it('are silent once the job has ended', async () => {
    const t = setUp(() => Promise.resolve(new Set()));
    t.hold('a');
    leases.drop('a');
    await t.pass(60_000);
    expect(t.lost).toEqual([]);
  });
});
