import { describe, expect, it } from 'vitest';
import { createBatcher, type InferResult, type RunBatch, type Urgency } from '../../../origin/inference/batcher.ts';
import type { Image } from '../../../origin/inference/device.ts';

/** A batcher whose clock and device the test drives. An image is recognised by its first byte. */
const setUp = (sizeMax: number, devices = 1) => {
  let time = 0;
  let timers: { at: number; call: () => void }[] = [];
  const runs: { images: number[]; finish: (result: Awaited<ReturnType<RunBatch>>) => void; succeed: () => void }[] = [];
  const run: RunBatch = (images) =>
    new Promise((finish) => {
      const succeed = (): void => finish({ ok: true, value: images.map((image) => image.rgb.slice(0, 1)) });
      runs.push({ images: images.map((image) => image.rgb[0] ?? -1), finish, succeed });
    });
  const batcher = createBatcher({
    sizeMax,
    waitMsMax: 5,
    runners: Array.from({ length: devices }, () => run),
    clock: {
      nowMs: () => time,
      after: (ms, call) => {
        const timer = { at: time + ms, call };
        timers.push(timer);
        return () => {
          timers = timers.filter((other) => other !== timer);
        };
      },
    },
    onBatch: () => undefined,
  });
  const results = new Map<number, InferResult>();
  const submit = (
    id: number,
    priority: Urgency = 'interactive',
    side = 64,
    signal = new AbortController().signal,
    wanted: Image['wanted'] = 'matte',
  ): void => {
    const image: Image = { rgb: new Uint8Array([id, 0, 0]), width: side, height: side, wanted };
    void batcher.submit(image, priority, signal).then((result) => results.set(id, result));
  };
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const pass = async (ms: number) => {
    time += ms;
    const due = timers.filter((timer) => timer.at <= time);
    timers = timers.filter((timer) => timer.at > time);
    for (const timer of due) timer.call();
    await settled();
  };
  return {
    submit,
    pass,
    settled,
    runs,
    results,
    matteOf: (id: number) => {
      const r = results.get(id);
      return r?.ok ? r.value[0] : r?.failure.kind;
    },
  };
};

describe('the batcher', () => {
  it('lets a paid image wait for a check’s run that has begun, and for no other', async () => {
    const b = setUp(1);
    for (const id of [1, 2]) b.submit(id, 'check');
    b.submit(3, 'batch');
    b.submit(4, 'interactive');
    for (let i = 0; i < 4; i++) {
      b.runs[i]?.succeed();
      await b.settled();
    }
    expect(b.runs.map((run) => run.images)).toEqual([[1], [4], [3], [2]]);
  });

  it('puts images into one run only where the same is looked for in them', () => {
    const b = setUp(2);
    const never = new AbortController().signal;
    b.submit(1, 'batch', 64, never, 'matte');
    b.submit(2, 'batch', 64, never, 'text');
    expect(b.runs).toHaveLength(0);
    b.submit(3, 'batch', 64, never, 'matte');
    expect(b.runs.map((run) => run.images)).toEqual([[1, 3]]);
  });

  it('never makes an image wait where runs hold one image', () => {
    const b = setUp(1);
    b.submit(1);
    expect(b.runs.map((run) => run.images)).toEqual([[1]]);
  });

  it('runs at once when full, else when the first image has waited long enough', async () => {
    const b = setUp(2);
    b.submit(1);
    await b.pass(4);
    expect(b.runs).toHaveLength(0);
    await b.pass(1);
    expect(b.runs.map((run) => run.images)).toEqual([[1]]);
    b.runs[0]?.succeed();
    await b.settled();
    b.submit(2);
    b.submit(3);
    expect(b.runs[1]?.images).toEqual([2, 3]);
  });

  it('puts interactive images before batch ones, and only images of one size together', async () => {
    const b = setUp(2);
    b.submit(1, 'interactive');
    b.submit(2, 'interactive');
    b.submit(3, 'batch');
    b.submit(4, 'batch', 128);
    b.submit(5, 'interactive', 128);
    b.runs[0]?.succeed();
    await b.pass(10);
    expect(b.runs[1]?.images).toEqual([5, 4]);
    b.runs[1]?.succeed();
    await b.pass(10);
    expect(b.runs[2]?.images).toEqual([3]);
  });

  it('gives each device a run of its own', () => {
    const b = setUp(1, 2);
    for (const id of [1, 2, 3]) b.submit(id);
    expect(b.runs.map((run) => run.images)).toEqual([[1], [2]]);
  });

  it('gives every image its own matte', async () => {
    const b = setUp(4);
    for (const id of [11, 12, 13, 14]) b.submit(id);
    b.runs[0]?.succeed();
    await b.settled();
    expect([11, 12, 13, 14].map(b.matteOf)).toEqual([11, 12, 13, 14]);
  });

  it('repeats a failed run image by image, so that a poisoned one cannot fail its neighbours', async () => {
    const b = setUp(4);
    for (const id of [1, 2, 66, 4]) b.submit(id);
    b.runs[0]?.finish({ ok: false, failure: { kind: 'refused', detail: 'bad image' } });
    for (let i = 1; i <= 4; i++) {
      await b.settled();
      if (b.runs[i]?.images[0] === 66)
        b.runs[i]?.finish({ ok: false, failure: { kind: 'refused', detail: 'bad image' } });
      else b.runs[i]?.succeed();
    }
    await b.settled();
    expect([1, 2, 66, 4].map(b.matteOf)).toEqual([1, 2, 'refused', 4]);
  });

  it('runs an image again after a crash, but only once, and never one that was too slow', async () => {
    const b = setUp(1);
    b.submit(1);
    b.runs[0]?.finish({ ok: false, failure: { kind: 'crashed', detail: 'SIGSEGV' } });
    await b.settled();
    b.runs[1]?.finish({ ok: false, failure: { kind: 'crashed', detail: 'SIGSEGV' } });
    await b.settled();
    expect(b.matteOf(1)).toBe('crashed');
    b.submit(2);
    b.runs[2]?.finish({ ok: false, failure: { kind: 'timed_out', detail: '30 s' } });
    await b.settled();
    expect(b.matteOf(2)).toBe('timed_out');
    expect(b.runs).toHaveLength(3);
  });

  it('drops an image nobody waits for before it reaches the device', async () => {
    const b = setUp(1);
    b.submit(1);
    const caller = new AbortController();
    b.submit(2, 'interactive', 64, caller.signal);
    caller.abort();
    await b.settled();
    expect(b.matteOf(2)).toBe('dropped');
    b.runs[0]?.succeed();
    await b.settled();
    expect(b.runs).toHaveLength(1);
  });
});
