/** What a series of probes says: never good on old ones, and every outage once. */
import { describe, expect, it } from 'vitest';
import { type Incident, incidentsOf, medianMs, type Probe, stateOf } from '../../../edge/status/judge.ts';
import type { ProbeResult } from '../../../shared/status.ts';

const MINUTE = 60_000;
const letters: Readonly<Record<string, ProbeResult>> = { o: 'ok', s: 'slow', f: 'failed' };
/** One probe a minute; `.` is one that is missing. */
const series = (text: string, beginMs = 0): Probe[] =>
  [...text].flatMap((letter, i) => {
    const result = letters[letter];
    return result ? [{ component: 'api' as const, atMs: beginMs + i * MINUTE, result, tookMs: 10 * i }] : [];
  });
const stateAfter = (text: string, laterMs = 0) => stateOf('api', series(text), (text.length - 1) * MINUTE + laterMs);
const told = (incidents: readonly Incident[]) =>
  incidents.map(({ kind, beganAtMs, endedAtMs }) => [
    kind,
    beganAtMs / MINUTE,
    endedAtMs === null ? null : endedAtMs / MINUTE,
  ]);

describe('the state of a component', () => {
  it.each([
    ['', 'unknown'],
    ['ooo', 'operational'],
    ['ffo', 'operational'],
    ['oos', 'degraded'],
    ['oof', 'degraded'],
    ['off', 'down'],
    ['ofs', 'degraded'],
    ['f....f', 'degraded'],
  ] as const)('after %j is %s', (text, state) => {
    expect(stateAfter(text)).toBe(state);
  });

  it('is unknown, good or bad, once its last probe is more than three and a half intervals old', () => {
    for (const text of ['ooo', 'fff', 'sss']) {
      expect(stateAfter(text, 3.5 * MINUTE)).not.toBe('unknown');
      expect(stateAfter(text, 3.5 * MINUTE + 1)).toBe('unknown');
    }
  });
});

describe('an incident', () => {
  it.each([
    ['oofoo', []],
    ['oososo', []],
    ['ooffo', [['down', 2, 4]]],
    ['oosso', [['degraded', 2, 4]]],
    ['osffo', [['down', 1, 4]]],
    ['offssf', [['down', 1, null]]],
    [
      'offoffo',
      [
        ['down', 1, 3],
        ['down', 4, 6],
      ],
    ],
    ['f......f', []],
    ['off.......o', [['down', 1, 10]]],
  ] as const)('of %j', (text, incidents) => {
    expect(told(incidentsOf(undefined, series(text)))).toEqual(incidents);
  });

  it('is the same one, whichever part of its probes each run sees', () => {
    const text = 'oosffffsoooffoos';
    const all = incidentsOf(undefined, series(text));
    expect(told(all)).toEqual([
      ['down', 2, 8],
      ['down', 11, 13],
    ]);
    for (let windowProbes = 3; windowProbes <= text.length; windowProbes++) {
      const known = new Map<number, Incident>();
      for (let end = 1; end <= text.length; end++) {
        const latest = [...known.values()].sort((a, b) => b.beganAtMs - a.beganAtMs)[0];
        const seen = series(text.slice(0, end)).slice(-windowProbes);
        for (const incident of incidentsOf(latest, seen)) known.set(incident.beganAtMs, incident);
      }
      expect(told([...known.values()]), `${windowProbes} probes at a time`).toEqual(told(all));
    }
  });
});

describe('the latency of an hour', () => {
  it('is the median of what did not fail', () => {
    expect(medianMs(series('ofofo'))).toBe(20);
    expect(medianMs(series('ff'))).toBeNull();
  });
});
