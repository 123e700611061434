import { describe, expect, it } from 'vitest';
import { createAdmission, type Permit } from '../../../origin/jobs/admission.ts';
import { createCompletionRate } from '../../../origin/jobs/completion-rate.ts';
import type { Priority } from '../../../shared/job.ts';

const queueOf = (slots: number, queueMax: number) => {
  let time = 0;
  const admission = createAdmission({ slots, queueMax, clock: { nowMs: () => time } });
  const order: string[] = [];
  const permits = new Map<string, Permit>();
  const ask = (name: string, accountId = 'acc_a', priority: Priority = 'interactive') => {
    const caller = new AbortController();
    const result = admission.admit({ accountId, priority, signal: caller.signal });
    const settle = (admitted: Permit | 'withdrawn' | 'displaced'): void => {
      order.push(typeof admitted === 'string' ? `${name} ${admitted}` : name);
      if (typeof admitted !== 'string') permits.set(name, admitted);
    };
    if (result.ok) void result.value.then(settle);
    return { result, caller };
  };
  /** Ends a job and lets promises settle. */
  const end = async (name: string) => {
    const permit = permits.get(name);
    if (!permit) throw new Error(`${name} does not run`);
    permit.release();
    await settled();
  };
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const pass = (ms: number): void => {
    time += ms;
  };
  return { admission, ask, end, order, settled, pass };
};

describe('admission', () => {
  it('runs as many jobs at once as there are slots, the rest in order', async () => {
    const q = queueOf(2, 10);
    for (const name of ['a', 'b', 'c', 'd']) q.ask(name);
    await q.settled();
    expect(q.order).toEqual(['a', 'b']);
    await q.end('b');
    expect(q.order).toEqual(['a', 'b', 'c']);
  });

  it('puts interactive jobs before all batch jobs', async () => {
    const q = queueOf(1, 10);
    q.ask('first');
    q.ask('batch-1', 'acc_a', 'batch');
    q.ask('batch-2', 'acc_a', 'batch');
    q.ask('upload', 'acc_b', 'interactive');
    await q.settled();
    await q.end('first');
    expect(q.order).toEqual(['first', 'upload']);
  });

  it('alternates between accounts, so that one with many images does not hold up one with few', async () => {
    const q = queueOf(1, 10);
    for (const name of ['big-1', 'big-2', 'big-3', 'big-4']) q.ask(name, 'acc_big', 'batch');
    q.ask('small-1', 'acc_small', 'batch');
    await q.settled();
    for (const name of ['big-1', 'big-2', 'small-1', 'big-3']) await q.end(name);
    expect(q.order).toEqual(['big-1', 'big-2', 'small-1', 'big-3', 'big-4']);
  });

  it('refuses what the queue cannot hold, and keeps a share of it free of batch jobs', async () => {
    const q = queueOf(1, 4);
    q.ask('running');
    for (const name of ['b1', 'b2', 'b3']) expect(q.ask(name, 'acc_a', 'batch').result.ok).toBe(true);
    expect(q.ask('b4', 'acc_a', 'batch').result).toMatchObject({ ok: false, failure: { code: 'origin_busy' } });
    expect(q.ask('u1').result.ok).toBe(true);
    expect(q.ask('u2').result).toMatchObject({ ok: false, failure: { code: 'origin_busy' } });
  });

  it('lets no account fill the queue against another: the longest one makes room', async () => {
    const q = queueOf(1, 4);
    q.ask('running');
    for (const name of ['b1', 'b2', 'b3']) q.ask(name, 'acc_big', 'batch');
    const small = q.ask('s1', 'acc_small', 'batch');
    await q.settled();
    expect(small.result.ok).toBe(true);
    expect(q.order).toEqual(['running', 'b3 displaced']);
    expect(q.admission.queued('batch')).toBe(3);
    await q.end('running');
    await q.end('b1');
    expect(q.order.slice(2)).toEqual(['b1', 's1']);
  });

  it('displaces nothing for an account that would then have as many queued as the one that gave way', async () => {
    const q = queueOf(1, 4);
    q.ask('running');
    for (const [name, account] of [
      ['a1', 'acc_a'],
      ['a2', 'acc_a'],
      ['b1', 'acc_b'],
    ] as const)
      q.ask(name, account, 'batch');
    expect(q.ask('b2', 'acc_b', 'batch').result).toMatchObject({ ok: false, failure: { code: 'origin_busy' } });
    await q.settled();
    expect(q.order).toEqual(['running']);
  });

  it('displaces no interactive request for a batch one', async () => {
    const q = queueOf(1, 4);
    q.ask('running');
    for (const name of ['u1', 'u2', 'u3', 'u4']) q.ask(name, 'acc_big');
    expect(q.ask('b1', 'acc_small', 'batch').result).toMatchObject({ ok: false, failure: { code: 'origin_busy' } });
    await q.settled();
    expect(q.order).toEqual(['running']);
  });

  it('tells a refused caller when the jobs ahead will be done, by the measured rate', async () => {
    const q = queueOf(1, 6);
    for (let i = 0; i < 7; i++) q.ask(`job-${i}`);
    await q.settled();
    for (let i = 0; i < 5; i++) {
      q.pass(4_000);
      await q.end(`job-${i}`);
    }
    for (let i = 7; i < 12; i++) q.ask(`job-${i}`);
    const refused = q.ask('one too many').result;
    expect(refused).toMatchObject({ ok: false, failure: { retryAfterSeconds: 6 * 4 } });
  });

  it('removes a waiting request at once when its caller hangs up', async () => {
    const q = queueOf(1, 2);
    q.ask('running');
    const leaver = q.ask('leaver');
    q.ask('stayer');
    leaver.caller.abort();
    await q.settled();
    expect(q.admission.queued('interactive')).toBe(1);
    await q.end('running');
    expect(q.order).toEqual(['running', 'leaver withdrawn', 'stayer']);
  });

  it('does not let a permit be released twice', async () => {
    const q = queueOf(1, 2);
    q.ask('a');
    await q.settled();
    await q.end('a');
    await expect(q.end('a')).rejects.toThrow(/twice/);
    expect(q.admission.running()).toBe(0);
  });
});

describe('the measured rate', () => {
  it('ignores idle time between jobs', () => {
    let time = 0;
    const rate = createCompletionRate({ nowMs: () => time });
    const complete = (atMs: number, busy: boolean): void => {
      time = atMs;
      rate.completed(busy);
    };
    complete(1_000, true);
    complete(1_500, true);
    complete(2_000, false);
    complete(900_000, true);
    complete(900_500, true);
    expect(rate.msPerJob()).toBe(500);
    expect(rate.secondsFor(10)).toBe(5);
    expect(rate.secondsFor(0)).toBe(1);
    expect(rate.secondsFor(100_000)).toBe(60);
  });
});
