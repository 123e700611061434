import { describe, expect, it } from 'vitest';
import { createAdmission, type Priority, type Turn } from '../../../origin/jobs/admission.ts';
import { createRateMeter } from '../../../origin/jobs/rate.ts';

const queueOf = (places: number, queueMax: number) => {
  let time = 0;
  const admission = createAdmission({ places, queueMax, now: () => time });
  const order: string[] = [];
  const turns = new Map<string, Turn>();
  const ask = (name: string, accountId = 'acc_a', priority: Priority = 'interactive') => {
    const gone = new AbortController();
    const result = admission.admit({ accountId, priority, signal: gone.signal });
    if (result.ok)
      void result.value.then((turn) => (order.push(turn ? name : `${name} dropped`), turns.set(name, turn)));
    return { result, gone };
  };
  /** Ends a job and lets promises settle. */
  const end = async (name: string) => {
    const turn = turns.get(name);
    if (!turn) throw new Error(`${name} does not run`);
    turn.release();
    await settled();
  };
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return { admission, ask, end, order, settled, pass: (ms: number) => void (time += ms) };
};

describe('admission', () => {
  it('runs as many jobs at once as there are places, the rest in order', async () => {
    const q = queueOf(2, 10);
    for (const name of ['a', 'b', 'c', 'd']) q.ask(name);
    await q.settled();
    expect(q.order).toEqual(['a', 'b']);
    await q.end('b');
    expect(q.order).toEqual(['a', 'b', 'c']);
  });

  it('lets interactive jobs pass all batch jobs', async () => {
    const q = queueOf(1, 10);
    q.ask('first');
    q.ask('batch-1', 'acc_a', 'batch');
    q.ask('batch-2', 'acc_a', 'batch');
    q.ask('upload', 'acc_b', 'interactive');
    await q.settled();
    await q.end('first');
    expect(q.order).toEqual(['first', 'upload']);
  });

  it('lets accounts take turns, so that one with many images does not hold up one with few', async () => {
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

  it('tells the refused when the jobs before them will be done, by the measured rate', async () => {
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

  it('forgets a waiting job at once when its caller is gone', async () => {
    const q = queueOf(1, 2);
    q.ask('running');
    const leaver = q.ask('leaver');
    q.ask('stayer');
    leaver.gone.abort();
    await q.settled();
    expect(q.admission.queued('interactive')).toBe(1);
    await q.end('running');
    expect(q.order).toEqual(['running', 'leaver dropped', 'stayer']);
  });

  it('does not let a place be released twice', async () => {
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
    const meter = createRateMeter(() => time);
    const complete = (at: number, busy: boolean) => ((time = at), meter.completed(busy));
    complete(1_000, true);
    complete(1_500, true);
    complete(2_000, false);
    complete(900_000, true);
    complete(900_500, true);
    expect(meter.msPerJob()).toBe(500);
    expect(meter.secondsFor(10)).toBe(5);
    expect(meter.secondsFor(0)).toBe(1);
    expect(meter.secondsFor(100_000)).toBe(60);
  });
});
