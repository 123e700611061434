/**
 * The scheduled run of the status page: probes that are due, their rows, and the answer that everybody then reads.
 *
 *     due probes, three at a time → rows and sums by day → states and incidents → one row with the answer
 */
import { TIMED_OUT, withTimeout } from '../../shared/clock.ts';
import {
  type ProbeResult,
  type StatusAnswer,
  type StatusComponent,
  statusComponentNames,
  statusComponents,
  worstOf,
} from '../../shared/status.ts';
import { edgeLimits } from '../limits.ts';
import { errorText, logEvent } from '../log.ts';
import { type Incident, incidentsOf, medianMs, type Probe, stateOf } from './judge.ts';
import { type ProbeDeps, probes } from './probes.ts';
import { lastProbes, type Records, readRecords, writeAnswer, writeProbes } from './store.ts';
import { keepUnwritten, readUnwritten } from './unwritten.ts';

const HOUR_MS = 3_600_000;
/** Schedules come some seconds early or late. */
const EARLY_MS = 15_000;
const { incidentsShown, pipelineMsMax, probeMsMax, probesAtOnce, unwrittenMax } = edgeLimits.status;

/** Throws nothing: what fails is logged, and the page says by itself that its probes are old. */
export const runProbes = async (deps: ProbeDeps): Promise<void> => {
  const { db, bucket, services } = deps;
  const nowMs = services.clock.nowMs();
  const due = await dueAt(db, nowMs);
  const made: Probe[] = [];
  for (let at = 0; at < due.length; at += probesAtOnce)
    made.push(
      ...(await Promise.all(due.slice(at, at + probesAtOnce).map((component) => probe(deps, component, nowMs)))),
    );
  // A store that is down says so by its own probe.
  const waiting = await readUnwritten(bucket).catch(() => []);
  const all = [...waiting, ...made];
  try {
    await writeProbes(db, all, nowMs);
    await tell(db, all, nowMs);
    if (waiting.length > 0) await keepUnwritten(bucket, [], unwrittenMax);
  } catch (error) {
    logEvent('error', 'status_not_written', { error: errorText(error) });
    await keepUnwritten(bucket, all, unwrittenMax).catch(() => {});
  }
};

/** All of them where the database cannot say. */
const dueAt = async (db: D1Database, nowMs: number): Promise<readonly StatusComponent[]> => {
  const last = await lastProbes(db).catch(() => new Map<StatusComponent, number>());
  return statusComponentNames.filter((component) => {
    const { everyMs } = statusComponents[component];
    return nowMs - (last.get(component) ?? 0) >= everyMs - EARLY_MS;
  });
};

/** `atMs`: of the run, the same for all of its probes. */
const probe = async (deps: ProbeDeps, component: StatusComponent, atMs: number): Promise<Probe> => {
  const { clock } = deps.services;
  const begunMs = clock.nowMs();
  const { result, tookMs, error } = await judged(deps, component, begunMs);
  if (result !== 'ok') logEvent('warn', 'status_probe', { component, result, took_ms: tookMs, error });
  return { component, atMs, result, tookMs };
};

type Judged = { readonly result: ProbeResult; readonly tookMs: number; readonly error?: string };

const judged = async (deps: ProbeDeps, component: StatusComponent, begunMs: number): Promise<Judged> => {
  const { clock } = deps.services;
  const msMax = component === 'pipeline' ? pipelineMsMax : probeMsMax;
  const spentMs = (): number => Math.max(0, clock.nowMs() - begunMs);
  try {
    const found = await withTimeout(probes[component](deps), msMax, clock);
    if (found === TIMED_OUT) return { result: 'failed', tookMs: spentMs(), error: `no answer in ${msMax} ms` };
    const tookMs = found.waitMs ?? spentMs();
    const isSlow = found.busy === true || tookMs > statusComponents[component].slowMs;
    return { result: isSlow ? 'slow' : 'ok', tookMs };
  } catch (error) {
    return { result: 'failed', tookMs: spentMs(), error: errorText(error) };
  }
};

/** Reads as far back as the oldest probe that is new, so that those which waited make their incidents too. */
const tell = async (db: D1Database, written: readonly Probe[], nowMs: number): Promise<void> => {
  const hourAgoMs = nowMs - HOUR_MS;
  const sinceMs = Math.min(hourAgoMs, ...written.map(({ atMs }) => atMs - HOUR_MS / 4));
  const records = await readRecords(db, sinceMs, nowMs);
  const changed = statusComponentNames.flatMap((component) =>
    incidentsOf(latestOf(records, component), of(records, component)),
  );
  const known = new Map(records.incidents.map((incident) => [keyOf(incident), incident]));
  for (const incident of changed) known.set(keyOf(incident), incident);
  const incidents = [...known.values()].sort((a, b) => b.beganAtMs - a.beganAtMs);
  await writeAnswer(db, answerOf({ ...records, incidents }, hourAgoMs, nowMs), changed);
};

const of = ({ probes: all }: Records, component: StatusComponent): readonly Probe[] =>
  all.filter((one) => one.component === component);
const latestOf = ({ incidents }: Records, component: StatusComponent): Incident | undefined =>
  incidents.find((incident) => incident.component === component);
const keyOf = ({ component, beganAtMs }: Incident): string => `${component} ${beganAtMs}`;
const iso = (ms: number): string => new Date(ms).toISOString();

const answerOf = (records: Records, hourAgoMs: number, nowMs: number): StatusAnswer => {
  const components = statusComponentNames.map((id) => {
    const own = of(records, id);
    const last = own.at(-1);
    const { name, measured, everyMs } = statusComponents[id];
    return {
      id,
      name,
      measured,
      state: stateOf(id, own, nowMs),
      last_probe_at: last ? iso(last.atMs) : null,
      every_seconds: everyMs / 1_000,
      latency_ms: medianMs(own.filter(({ atMs }) => atMs >= hourAgoMs)),
      days: records.days.get(id) ?? [],
    };
  });
  return {
    state: worstOf(components.map(({ state }) => state)),
    components,
    incidents: records.incidents.slice(0, incidentsShown).map(({ component, kind, beganAtMs, endedAtMs }) => ({
      component,
      kind,
      began_at: iso(beganAtMs),
      ended_at: endedAtMs === null ? null : iso(endedAtMs),
    })),
  };
};
