/** What a tab remembers of its runs while they are under way. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RUNS_MAX } from '../../portal/src/playground/run-keys.ts';
import { forgetRun, noteRun, openRuns } from '../../portal/src/playground/run-memory.ts';

let stored: Map<string, string>;
beforeEach(() => {
  stored = new Map();
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
    removeItem: (key: string) => stored.delete(key),
  });
});
afterEach(() => vi.unstubAllGlobals());

const run = (n: number) => ({ idempotencyKey: `key ${n}`, name: `photo ${n}.jpg` });

describe('the runs of a tab', () => {
  it('are remembered beside each other, and each is forgotten alone', () => {
    noteRun(run(1));
    noteRun(run(2));
    noteRun(run(1));
    expect(openRuns()).toEqual([run(2), run(1)]);
    forgetRun('key 1');
    expect(openRuns()).toEqual([run(2)]);
    forgetRun('key 2');
    expect([openRuns(), stored.size]).toEqual([[], 0]);
  });

  it('are a bounded number, the newest', () => {
    for (let n = 0; n <= RUNS_MAX; n++) noteRun(run(n));
    expect([openRuns().length, openRuns()[0]]).toEqual([RUNS_MAX, run(1)]);
  });

  it('are none where the storage holds something else, or nothing may be stored', () => {
    for (const text of ['', '{', 'null', '{"name":"a"}', '[null,{"name":"a"},7]']) {
      stored.set('packshot.runs', text);
      expect(openRuns(), text).toEqual([]);
    }
    vi.stubGlobal('sessionStorage', undefined);
    noteRun(run(1));
    expect(openRuns()).toEqual([]);
  });
});
