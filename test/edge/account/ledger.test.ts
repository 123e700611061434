import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Crossing } from '../../../edge/account/ledger/balance-crossing.ts';
import {
  decide,
  type Entry,
  emptyTotals,
  type Hold,
  type LedgerCommand,
  type LedgerReply,
  type LedgerView,
  type Resolution,
  type ResolveReply,
  type TestUse,
  type Totals,
} from '../../../edge/account/ledger/machine.ts';
import { fullBucket, take } from '../../../edge/account/rate.ts';
import { edgeLimits } from '../../../edge/limits.ts';
import { limits } from '../../../shared/limits.ts';

/** Within what the random commands below reach. */
const ALERT_LEVEL = 4;

/** The machine over plain maps. */
const newLedger = () => {
  const crossings: Crossing[] = [];
  let totals: Totals = emptyTotals;
  const holds = new Map<string, Hold>();
  const entries: Entry[] = [];
  let testUse: TestUse = { day: '', images: 0 };
  const view: LedgerView = {
    totals: () => totals,
    hold: (batchId) => holds.get(batchId),
    entry: (commandId) => entries.find((entry) => entry.commandId === commandId),
    testUse: () => testUse,
    caps: () => [],
    alertLevel: () => ALERT_LEVEL,
  };
  const send = (command: LedgerCommand, nowMs = 0): LedgerReply => {
    const { reply, ...changes } = decide(view, command, nowMs);
    totals = changes.totals ?? totals;
    if (changes.hold) holds.set(changes.hold.batchId, changes.hold);
    if (changes.testUse) testUse = changes.testUse;
    entries.push(...(changes.entries ?? []));
    if (changes.crossed) crossings.push(changes.crossed);
    return reply;
  };
  const resolve = (batchId: string, index: number, as: Resolution): ResolveReply | undefined => {
    const reply = send({ type: 'resolve', batchId, rows: [{ index, as }] });
    return reply.result === 'resolved' ? reply.replies[0] : undefined;
  };
  const resolutions = (): string[] => [...holds.values()].flatMap(({ resolved }) => [...resolved]);
  return { send, resolve, totals: () => totals, holds, resolutions, entries, crossings };
};

const batchIds = fc.constantFrom('bat_a', 'bat_b', 'bat_c');
const commands: fc.Arbitrary<LedgerCommand> = fc.oneof(
  fc.record({
    type: fc.constant('grant' as const),
    id: fc.constantFrom('g1', 'g2', 'g3'),
    credits: fc.integer({ min: 1, max: 6 }),
    reason: fc.constant('purchase' as const),
  }),
  fc.record({
    type: fc.constant('adjust' as const),
    id: fc.constantFrom('r1', 'r2'),
    credits: fc.integer({ min: -6, max: -1 }),
    reason: fc.constant('refund' as const),
  }),
  fc.record({
    type: fc.constant('hold' as const),
    batchId: batchIds,
    images: fc.integer({ min: 1, max: 4 }),
    mode: fc.constantFrom('live' as const, 'live' as const, 'test' as const),
    style: fc.constantFrom('batch' as const, 'upload' as const),
  }),
  fc.record({
    type: fc.constant('resolve' as const),
    batchId: batchIds,
    rows: fc.array(
      fc.record({
        index: fc.integer({ min: -1, max: 4 }),
        as: fc.constantFrom('posted' as const, 'voided' as const),
      }),
      { maxLength: 3 },
    ),
    inFlight: fc.nat(4),
  }),
  fc.record({
    type: fc.constant('release' as const),
    batchId: batchIds,
    reason: fc.constantFrom('batch_unknown' as const, 'hold_unwanted' as const),
  }),
  fc.record({ type: fc.constant('keep' as const), batchId: batchIds }),
);
const histories = fc.array(commands, { maxLength: 60 });

describe('the ledger, whatever is asked of it in whatever order,', () => {
  it('always balances, and what is held is what is pending', () => {
    fc.assert(
      fc.property(histories, (history) => {
        const ledger = newLedger();
        for (const command of history) {
          ledger.send(command);
          const { granted, available, held, spent } = ledger.totals();
          expect(granted).toBe(available + held + spent);
          const live = [...ledger.holds.values()].filter((hold) => hold.mode === 'live');
          expect(held).toBe(live.reduce((sum, hold) => sum + hold.pending, 0));
          expect(spent).toBe(live.reduce((sum, hold) => sum + hold.posted, 0));
          const posted = [...ledger.holds.values()].reduce((sum, hold) => sum + hold.posted, 0);
          expect(ledger.resolutions().filter((letter) => letter === 'p')).toHaveLength(posted);
          expect(ledger.totals().pendingHolds).toBe(
            [...ledger.holds.values()].filter((hold) => hold.pending > 0).length,
          );
          const queued = [...ledger.holds.values()].filter((hold) => hold.pending > 0 && hold.style === 'batch');
          expect(ledger.totals().queuedHolds).toBe(queued.length);
          expect(ledger.totals().windows).toBe(queued.reduce((sum, { window }) => sum + window, 0));
          expect(ledger.totals().windows).toBe([...ledger.holds.values()].reduce((sum, { window }) => sum + window, 0));
        }
      }),
    );
  });

  it('crosses the level of an alert with exactly the commands that bring the balance to it from above', () => {
    let crossed = 0;
    fc.assert(
      fc.property(histories, (history) => {
        const ledger = newLedger();
        const balance = () => ledger.totals().available + ledger.totals().held;
        for (const command of history) {
          const [before, told] = [balance(), ledger.crossings.length];
          ledger.send(command);
          const isCrossed = before > ALERT_LEVEL && balance() <= ALERT_LEVEL;
          expect(ledger.crossings.slice(told)).toEqual(isCrossed ? [{ level: ALERT_LEVEL, balance: balance() }] : []);
          crossed += Number(isCrossed);
        }
      }),
      { numRuns: 1_000 },
    );
    expect(crossed).toBeGreaterThan(10);
  });

  it('changes nothing when a command is repeated', () => {
    fc.assert(
      fc.property(histories, (history) => {
        const ledger = newLedger();
        for (const command of history) {
          const reply = ledger.send(command);
          const before = JSON.stringify([ledger.totals(), [...ledger.holds], [...ledger.entries]]);
          if (reply.result === 'insufficient_credits' || command.type === 'keep') continue;
          const again = ledger.send(command);
          expect(JSON.stringify([ledger.totals(), [...ledger.holds], [...ledger.entries]])).toBe(before);
          const results = again.result === 'resolved' ? again.replies.map(({ result }) => result) : [again.result];
          for (const result of results)
            expect(['granted', 'adjusted', 'held', 'posted', 'voided', 'released']).not.toContain(result);
        }
      }),
    );
  });

  it('never holds what is not available', () => {
    fc.assert(
      fc.property(histories, (history) => {
        const ledger = newLedger();
        for (const command of history) {
          const { available } = ledger.totals();
          const reply = ledger.send(command);
          if (reply.result === 'held' && command.type === 'hold' && command.mode === 'live')
            expect(command.images).toBeLessThanOrEqual(available);
          if (reply.result === 'insufficient_credits') expect(reply.required).toBeGreaterThan(available);
        }
      }),
    );
  });

  it('writes one line per change, and the lines alone give the totals', () => {
    fc.assert(
      fc.property(histories, (history) => {
        const ledger = newLedger();
        for (const command of history) ledger.send(command);
        expect(ledger.entries.map((entry) => entry.sequence)).toEqual(ledger.entries.map((_, i) => i + 1));
        expect(new Set(ledger.entries.map((entry) => entry.commandId)).size).toBe(ledger.entries.length);
        const last = ledger.entries.at(-1);
        if (last)
          expect(ledger.totals()).toMatchObject({
            granted: last.granted,
            available: last.available,
            held: last.held,
            spent: last.spent,
            entries: ledger.entries.length,
          });
      }),
    );
  });
});

describe('the ledger', () => {
  it('refuses a hold that comes after its release, and holds nothing for it', () => {
    const ledger = newLedger();
    ledger.send({ type: 'grant', id: 'g', credits: 5, reason: 'purchase' });
    const release = () => ledger.send({ type: 'release', batchId: 'b', reason: 'hold_unwanted' });
    expect(release()).toEqual({ result: 'hold_not_found' });
    for (const mode of ['live', 'test'] as const)
      expect(ledger.send({ type: 'hold', batchId: 'b', images: 3, mode })).toEqual({ result: 'already_released' });
    expect(release()).toEqual({ result: 'already_released' });
    expect(ledger.resolve('b', 0, 'posted')).toEqual({
      result: 'index_out_of_range',
    });
    expect(ledger.totals()).toMatchObject({ available: 5, held: 0, entries: 1, pendingHolds: 0 });
  });

  it('names a second resolution by what the first one was', () => {
    const ledger = newLedger();
    ledger.send({ type: 'grant', id: 'g', credits: 2, reason: 'purchase' });
    ledger.send({ type: 'hold', batchId: 'b', images: 2 });
    expect(ledger.resolve('b', 0, 'posted')).toEqual({ result: 'posted' });
    expect(ledger.resolve('b', 0, 'voided')).toEqual({
      result: 'already_posted',
    });
    expect(ledger.resolve('b', 1, 'voided')).toEqual({ result: 'voided' });
    expect(ledger.resolve('b', 1, 'posted')).toEqual({
      result: 'already_voided',
    });
    expect(ledger.resolve('b', 2, 'posted')).toEqual({
      result: 'index_out_of_range',
    });
    expect(ledger.resolve('x', 0, 'posted')).toEqual({
      result: 'hold_not_found',
    });
  });

  it('takes a refund of credits already used below zero, and refuses holds until it is above', () => {
    const ledger = newLedger();
    ledger.send({ type: 'grant', id: 'g', credits: 3, reason: 'purchase' });
    ledger.send({ type: 'hold', batchId: 'b', images: 3 });
    for (const index of [0, 1, 2]) ledger.resolve('b', index, 'posted');
    expect(ledger.send({ type: 'adjust', id: 'r', credits: -3, reason: 'refund', reference: 'ch_1' })).toEqual({
      result: 'adjusted',
    });
    expect(ledger.totals()).toMatchObject({ granted: 0, available: -3, spent: 3 });
    expect(ledger.send({ type: 'hold', batchId: 'c', images: 1 })).toEqual({
      result: 'insufficient_credits',
      available: -3,
      required: 1,
    });
  });

  it('tells an id used again for another amount apart from a repetition', () => {
    const ledger = newLedger();
    ledger.send({ type: 'grant', id: 'g', credits: 3, reason: 'purchase' });
    expect(ledger.send({ type: 'grant', id: 'g', credits: 3, reason: 'purchase' })).toEqual({
      result: 'already_granted',
    });
    expect(ledger.send({ type: 'grant', id: 'g', credits: 4, reason: 'purchase' })).toEqual({
      result: 'amount_mismatch',
    });
    ledger.send({ type: 'hold', batchId: 'b', images: 1 });
    expect(ledger.send({ type: 'hold', batchId: 'b', images: 2 })).toEqual({ result: 'hold_mismatch' });
  });

  it('lets test keys hold images without credits, so many a UTC day, and has more from midnight on', () => {
    const ledger = newLedger();
    const { perDay } = limits.testImages;
    const noon = Date.parse('2026-11-21T12:00:00Z');
    const midnight = Date.parse('2026-11-22T00:00:00Z');
    const hold = (batchId: string, images: number, nowMs: number) =>
      ledger.send({ type: 'hold', batchId, images, mode: 'test' }, nowMs).result;
    expect(hold('a', perDay - 1, noon)).toBe('held');
    expect(ledger.send({ type: 'hold', batchId: 'b', images: 2, mode: 'test' }, noon)).toEqual({
      result: 'quota_exceeded',
      retryAtMs: midnight,
    });
    expect(hold('c', 1, noon)).toBe('held');
    expect(hold('a', perDay - 1, noon)).toBe('already_held');
    expect(hold('d', 1, midnight - 1)).toBe('quota_exceeded');
    expect(hold('d', perDay, midnight)).toBe('held');
    expect(ledger.send({ type: 'hold', batchId: 'c', images: 1 }, noon)).toEqual({ result: 'hold_mismatch' });
    expect(ledger.resolve('c', 0, 'posted')).toEqual({ result: 'posted' });
    expect(ledger.resolve('c', 0, 'voided')).toEqual({
      result: 'already_posted',
    });
    expect(ledger.send({ type: 'release', batchId: 'd', reason: 'hold_unwanted' })).toEqual({
      result: 'released',
      credits: 0,
    });
    expect(ledger.totals()).toEqual({
      ...emptyTotals,
      pendingHolds: 1,
      queuedHolds: 1,
      windows: edgeLimits.ledger.dispatchWindowMax,
    });
    expect(ledger.entries).toEqual([]);
  });

  it.each([0, -1, 1.5, Number.NaN])('throws on a grant of %d credits, which only a bug can send', (credits) => {
    expect(() => newLedger().send({ type: 'grant', id: 'g', credits, reason: 'purchase' })).toThrow(RangeError);
  });
});

describe('the token bucket', () => {
  it('never lets more than its burst plus its rate through, however the requests come', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -50, max: 2_000 }), { minLength: 1, maxLength: 800 }), (gaps) => {
        let bucket = fullBucket(0);
        let nowMs = 0;
        let latestMs = 0;
        let allowed = 0;
        for (const gap of gaps) {
          nowMs += gap;
          latestMs = Math.max(latestMs, nowMs);
          const taken = take(bucket, nowMs);
          bucket = taken.bucket;
          if (taken.allowed) allowed++;
          expect(taken.rate.remaining).toBeGreaterThanOrEqual(0);
          expect(taken.rate.retryAfterMs === 0).toBe(taken.allowed);
        }
        const backwards = gaps.filter((gap) => gap < 0).reduce((sum, gap) => sum - gap, 0);
        expect(allowed).toBeLessThanOrEqual(
          limits.rate.burst + ((latestMs + backwards) * limits.rate.requestsPerWindow) / limits.rate.windowMs,
        );
      }),
    );
  });

  it('allows the next request after the wait it named', () => {
    let bucket = fullBucket(0);
    for (let i = 0; i < limits.rate.burst; i++) bucket = take(bucket, 0).bucket;
    const refused = take(bucket, 0);
    expect(refused.allowed).toBe(false);
    expect(take(refused.bucket, refused.rate.retryAfterMs - 1).allowed).toBe(false);
    expect(take(refused.bucket, refused.rate.retryAfterMs).allowed).toBe(true);
  });
});
