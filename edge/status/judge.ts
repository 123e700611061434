/** What a series of probes says: the state now, and incidents. Pure. */
import type { ComponentState, ProbeResult, StatusComponent } from '../../shared/status.ts';
import { staleAfterMs } from '../../shared/status.ts';

export type Probe = {
  readonly component: StatusComponent;
  readonly atMs: number;
  readonly result: ProbeResult;
  readonly tookMs: number;
};

export type Incident = {
  readonly component: StatusComponent;
  readonly kind: 'down' | 'degraded';
  readonly beganAtMs: number;
  /** Null: it goes on. */
  readonly endedAtMs: number | null;
};

/** `probes`: of one component, oldest first. Two failures in a row are `down`; a single one may be the network's. */
export const stateOf = (component: StatusComponent, probes: readonly Probe[], nowMs: number): ComponentState => {
  const last = probes.at(-1);
  if (!last || nowMs - last.atMs > staleAfterMs(component)) return 'unknown';
  if (last.result === 'ok') return 'operational';
  return last.result === 'failed' && isFollowOn(probes.at(-2), last) && probes.at(-2)?.result === 'failed'
    ? 'down'
    : 'degraded';
};

/** Two probes with nothing missing between them. */
const isFollowOn = (before: Probe | undefined, probe: Probe): before is Probe =>
  before !== undefined && probe.atMs - before.atMs <= staleAfterMs(probe.component);

/**
 * The incidents that the probes make, the latest known one first where they change it: two probes in a row that were not
 * ok begin one, at the first of them; the next that is ok ends it. It is `down` once two in a row failed. Where probes are
 * missing, two are not in a row, and an open incident stays open. `probes`: of one component, oldest first.
 */
export const incidentsOf = (latest: Incident | undefined, probes: readonly Probe[]): readonly Incident[] => {
  const found: Incident[] = [];
  let open = latest?.endedAtMs === null ? latest : undefined;
  const since = latest ? (latest.endedAtMs ?? latest.beganAtMs) : Number.NEGATIVE_INFINITY;
  let before: Probe | undefined;
  for (const probe of probes) {
    const inRow = isFollowOn(before, probe) && before.result !== 'ok' ? before : undefined;
    before = probe;
    if (probe.atMs < since) continue;
    if (probe.result === 'ok') {
      if (open && probe.atMs > open.beganAtMs) found.push({ ...open, endedAtMs: probe.atMs });
      if (open && probe.atMs > open.beganAtMs) open = undefined;
      continue;
    }
    if (!inRow || inRow.atMs < since) continue;
    const isDown = inRow.result === 'failed' && probe.result === 'failed';
    open = open
      ? { ...open, kind: isDown ? 'down' : open.kind }
      : { component: probe.component, kind: isDown ? 'down' : 'degraded', beganAtMs: inRow.atMs, endedAtMs: null };
  }
  if (open) found.push(open);
  return found;
};

/** Of those that did not fail, ms; null of none. */
export const medianMs = (probes: readonly Probe[]): number | null => {
  const times = probes.flatMap(({ result, tookMs }) => (result === 'failed' ? [] : [tookMs])).sort((a, b) => a - b);
  return times[Math.floor(times.length / 2)] ?? null;
};
