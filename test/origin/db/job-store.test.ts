import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createJobStore } from '../../../origin/db/job-store.ts';
import { migrate } from '../../../origin/db/migrate.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { completed, failedForGood } from '../support/outcome.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());

const LEASE_MS = 60_000;
const node = (name: string, leaseMs = LEASE_MS) => createJobStore(db.database, name, leaseMs);
const job = (jobId: string) => ({
  jobId,
  accountId: 'acc_a',
  deadlineAtMs: Date.now() + 60_000,
  mode: 'live' as const,
});
const claimed = async (name: string, jobId: string, leaseMs?: number) => {
  const claim = await node(name, leaseMs).claim(job(jobId));
  if (claim.kind !== 'claimed') throw new Error(`${name} could not claim ${jobId}: ${claim.kind}`);
  return claim;
};
/** Lets a lease run out by the only clock that counts, the database's. */
const expire = (jobId: string) =>
  db.database.query(`update jobs set lease_until = clock_timestamp() - interval '1 ms' where job_id = $1`, [jobId]);

describe('the job store', () => {
  it('gives a job to exactly one of many nodes that claim it at once', async () => {
    const claims = await Promise.all(Array.from({ length: 12 }, (_, i) => node(`node-${i}`).claim(job('race'))));
    expect(claims.filter((claim) => claim.kind === 'claimed')).toHaveLength(1);
    expect(claims.filter((claim) => claim.kind === 'on_other_node')).toHaveLength(11);
  });

  it('tells other nodes how long the lease still runs', async () => {
    await claimed('a', 'told');
    const claim = await node('b').claim(job('told'));
    expect(claim.kind === 'on_other_node' && claim.leaseLeftMs).toBeGreaterThan(LEASE_MS / 2);
    expect(claim.kind === 'on_other_node' && claim.leaseLeftMs).toBeLessThanOrEqual(LEASE_MS);
  });

  it('answers a repeated job from its outcome, whichever node asks', async () => {
    const { fencingToken } = await claimed('a', 'repeated');
    expect(await node('a').record('repeated', fencingToken, completed({ bytes: 4711 }))).toBe(true);
    expect(await node('b').claim(job('repeated'))).toMatchObject({ kind: 'done', outcome: completed({ bytes: 4711 }) });
    expect(await node('b').status('repeated')).toMatchObject({ kind: 'done' });
  });

  it("passes a dead node's lease on, with a higher fencing token and one crash counted", async () => {
    const first = await claimed('dead', 'passed-on');
    expect((await node('heir').claim(job('passed-on'))).kind).toBe('on_other_node');
    await expire('passed-on');
    const second = await claimed('heir', 'passed-on');
    expect(second.fencingToken).toBe(first.fencingToken + 1n);
    expect(second.crashes).toBe(1);
  });

  it('takes no outcome from a node whose lease passed to another', async () => {
    const first = await claimed('slow', 'fenced');
    await expire('fenced');
    const second = await claimed('quick', 'fenced');
    expect(await node('slow').record('fenced', first.fencingToken, completed({ bytes: 1 }))).toBe(false);
    expect(await node('quick').record('fenced', second.fencingToken, completed({ bytes: 2 }))).toBe(true);
    expect(await node('slow').record('fenced', first.fencingToken, completed({ bytes: 1 }))).toBe(false);
    expect(await node('any').claim(job('fenced'))).toMatchObject({ kind: 'done', outcome: completed({ bytes: 2 }) });
  });

  it('recognises an outcome that is recorded again because the first answer was lost', async () => {
    const { fencingToken } = await claimed('a', 'again');
    expect(await node('a').record('again', fencingToken, failedForGood)).toBe(true);
    expect(await node('a').record('again', fencingToken, failedForGood)).toBe(true);
  });

  it('frees a job that was given back at once, and counts no crash for it', async () => {
    const { fencingToken } = await claimed('a', 'released');
    await node('a').release('released', fencingToken);
    expect(await node('b').status('released')).toEqual({ kind: 'free' });
    expect(await claimed('b', 'released')).toEqual({ kind: 'claimed', fencingToken: fencingToken + 1n, crashes: 0 });
  });

  it("does not let a former holder give back the new holder's job", async () => {
    const first = await claimed('a', 'not-yours');
    await expire('not-yours');
    await claimed('b', 'not-yours');
    await node('a').release('not-yours', first.fencingToken);
    expect((await node('c').claim(job('not-yours'))).kind).toBe('on_other_node');
  });

  it('renews the leases still held and reports no other as renewed', async () => {
    const kept = await claimed('a', 'kept', 1_000);
    const lost = await claimed('a', 'lost', 1_000);
    await expire('lost');
    await claimed('b', 'lost');
    expect(
      await node('a').renew([
        { jobId: 'kept', fencingToken: kept.fencingToken },
        { jobId: 'lost', fencingToken: lost.fencingToken },
      ]),
    ).toEqual(new Set(['kept']));
    const status = await node('b').status('kept');
    expect(status.kind === 'on_other_node' && status.leaseLeftMs).toBeGreaterThan(30_000);
  });

  it('refuses a row whose state and contents contradict each other', async () => {
    await claimed('a', 'checked');
    await expect(db.database.query(`update jobs set state = 'done' where job_id = 'checked'`)).rejects.toThrow(
      /check constraint/,
    );
    await expect(db.database.query(`update jobs set state = 'lost' where job_id = 'checked'`)).rejects.toThrow(
      /check constraint/,
    );
  });

  it('removes old rows in steps, oldest first, and never a running job', async () => {
    for (const [i, name] of ['old-1', 'old-2', 'old-3', 'young', 'running'].entries()) {
      const { fencingToken } = await claimed('a', name);
      if (name !== 'running') await node('a').record(name, fencingToken, failedForGood);
      if (name !== 'young')
        await db.database.query(
          `update jobs set touched_at = clock_timestamp() - interval '30 days' + $2 * interval '1 minute' where job_id = $1`,
          [name, i],
        );
    }
    expect(await node('a').sweep(7 * 86_400_000, 2)).toBe(3);
    const left = await db.database.query<{ job_id: string }>(
      `select job_id from jobs where job_id in ('old-1', 'old-2', 'old-3', 'young', 'running') order by 1`,
    );
    expect(left.map((row) => row.job_id)).toEqual(['running', 'young']);
  });

  it('migrates once, however often nodes start', async () => {
    expect(await migrate(db.database)).toEqual([]);
    await db.database.query(`insert into migrations (number, name) values (9999, 'from-the-future')`);
    await expect(migrate(db.database)).rejects.toThrow(/9999/);
    await db.database.query('delete from migrations where number = 9999');
  });
});
