/** A run of the playground that may have been made is not charged a second time when it is sent again. */
import { describe, expect, it } from 'vitest';
import { createRunKeys, RUNS_MAX, type RunKeys } from '../../portal/src/playground/run-keys.ts';

const keys = (): RunKeys => {
  let made = 0;
  return createRunKeys(() => `key ${++made}`);
};
const photo = new Blob(['photo']);
const REQUEST = 'amazon';

describe('the Idempotency-Key of a run', () => {
  it.each([
    ['unreachable', true],
    ['outcome_unknown', true],
    ['idempotency_in_flight', true],
    ['internal_error', true],
    ['status_500', true],
    ['status_502', true],
    ['status_413', false],
    ['insufficient_credits', false],
    ['not_ready', false],
    ['processing_failed', false],
    ['origin_unavailable', false],
    ['no_product_found', false],
    [undefined, false],
  ] as const)('after %j is the same for the same run: %j', (code, isSame) => {
    const runs = keys();
    const first = runs.begin(photo, REQUEST);
    expect(runs.end(first, code)).toBe(!isSame);
    expect(runs.begin(photo, REQUEST).idempotencyKey === first.idempotencyKey).toBe(isSame);
  });

  it.each(['rate_limited', 'not_ready', 'key_unknown', 'insufficient_credits', 'status_429'])(
    'stays while its repetition is refused by %j, which says nothing of the run before',
    (code) => {
      const runs = keys();
      const first = runs.begin(photo, REQUEST);
      runs.end(first, 'unreachable');
      expect(runs.end(runs.begin(photo, REQUEST), code)).toBe(false);
      expect(runs.begin(photo, REQUEST).idempotencyKey).toBe(first.idempotencyKey);
    },
  );

  it.each([undefined, 'processing_failed', 'batch_deleted'])('ends when its repetition is answered by %j', (code) => {
    const runs = keys();
    const first = runs.begin(photo, REQUEST);
    runs.end(first, 'unreachable');
    expect(runs.end(runs.begin(photo, REQUEST), code)).toBe(true);
    expect(runs.begin(photo, REQUEST).idempotencyKey).not.toBe(first.idempotencyKey);
  });

  it('is kept for each run of its own, while others begin and end', () => {
    const runs = keys();
    const lost = runs.begin(photo, REQUEST);
    runs.end(lost, 'unreachable');
    const otherOptions = runs.begin(photo, 'etsy');
    const otherPhoto = runs.begin(new Blob(['photo']), REQUEST);
    expect(new Set([lost, otherOptions, otherPhoto].map(({ idempotencyKey }) => idempotencyKey)).size).toBe(3);
    expect([runs.end(otherOptions, undefined), runs.end(otherPhoto, undefined)]).toEqual([true, true]);
    expect(runs.begin(photo, REQUEST).idempotencyKey).toBe(lost.idempotencyKey);
  });

  it('is not ended by an earlier try of the same run that ends later', () => {
    const runs = keys();
    const first = runs.begin(photo, REQUEST);
    const second = runs.begin(photo, REQUEST);
    expect(second.idempotencyKey).toBe(first.idempotencyKey);
    runs.end(second, undefined);
    const next = runs.begin(photo, REQUEST);
    runs.end(first, 'rate_limited');
    expect(runs.begin(photo, REQUEST).idempotencyKey).toBe(next.idempotencyKey);
  });

  it('is kept for a bounded number of runs, the newest', () => {
    const runs = keys();
    const begun = Array.from({ length: RUNS_MAX + 1 }, (_, i) => runs.begin(photo, `request ${i}`));
    for (const run of begun) runs.end(run, 'unreachable');
    const keptOf = (i: number): boolean =>
      runs.begin(photo, `request ${i}`).idempotencyKey === begun[i]?.idempotencyKey;
    expect([RUNS_MAX, 1].map(keptOf)).toEqual([true, true]);
  });
});
