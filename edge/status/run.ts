/**
 * The scheduled run of the status page: probes that are due, their rows, and the answer that everybody then reads.
 *
 *     due probes, three at a time → queue of what is not written → its oldest: rows and sums by day → incidents of them,
 *     states of all → one row with the answer
 *
 * Probes are written in the order of their time, also after an outage of the database, so that each incident begins and
 * ends where its probes say. Every call to a store has a limit; one that is given up may still take effect, and each may
 * take effect twice.
 */
import { type Clock, TIMED_OUT, withTimeout } from '../../shared/clock.ts';
import {
  type ProbeResult,
  type StatusAnswer,
  type StatusComponent,
  staleAfterMs,
  statusComponentNames,
  statusComponents,
  worstOf,
} from '../../shared/status.ts';
import { edgeLimits } from '../limits.ts';
import { errorText, logEvent } from '../log.ts';
import { answerWithin } from '../stores/unanswered.ts';
import { type Incident, incidentsOf, medianMs, type Probe, stateOf } from './judge.ts';
import { type ProbeDeps, probes } from './probes.ts';
import { lastProbes, type Records, readRecords, writeAnswer, writeProbes } from './store.ts';
import { keepUnwritten, readUnwritten } from './unwritten.ts';

const HOUR_MS = 3_600_000;
/** Schedules come some seconds early or late. */
const EARLY_MS = 15_000;
/** As far back lies what makes a row with the first probe of a series. */
const LOOK_BACK_MS = Math.max(...statusComponentNames.map(staleAfterMs));
const { incidentsShown, pipelineMsMax, probeMsMax, probesAtOnce, storeMsMax, unwrittenMax, writtenMax } =
  edgeLimits.status;

/** Throws nothing: what fails is logged, and the page says by itself that its probes are old. */
export const runProbes = async (deps: ProbeDeps): Promise<void> => {
  const nowMs = deps.services.clock.nowMs();
  const due = await dueAt(deps, nowMs);
  const made: Probe[] = [];
  for (let at = 0; at < due.length; at += probesAtOnce)
    made.push(
      ...(await Promise.all(due.slice(at, at + probesAtOnce).map((component) => probe(deps, component, nowMs)))),
    );
  await record(deps, made, nowMs);
};

/** Throws where a store has not answered in time. */
const inTime = <T>(work: Promise<T>, clock: Clock): Promise<T> => answerWithin(work, storeMsMax, clock, 'a store');

const NOBODY_KNOWS = 'nobody knows';

/** A store that is down says so by its own probe. */
const waitingIn = async ({ bucket, services }: ProbeDeps): Promise<readonly Probe[] | typeof NOBODY_KNOWS> => {
  try {
    return await inTime(readUnwritten(bucket), services.clock);
  } catch {
    return NOBODY_KNOWS;
  }
};

/** What was just made comes after all that waits: written before it, it would hide the beginning of an outage. */
const record = async (deps: ProbeDeps, made: readonly Probe[], nowMs: number): Promise<void> => {
  const { db, bucket, services } = deps;
  const { clock } = services;
  const waiting = await waitingIn(deps);
  const known = waiting === NOBODY_KNOWS ? [] : waiting;
  const queue = [...known, ...made];
  const [written, rest] = [queue.slice(0, writtenMax), queue.slice(writtenMax)];
  try {
    await inTime(writeProbes(db, written, nowMs), clock);
    await tell(deps, written, rest, nowMs);
    if (known.length > 0) await inTime(keepUnwritten(bucket, rest, unwrittenMax), clock);
  } catch (error) {
    logEvent('error', 'status_not_written', { error: errorText(error), probes: queue.length });
    // What waits and cannot be read is not written over.
    if (waiting !== NOBODY_KNOWS) await inTime(keepUnwritten(bucket, queue, unwrittenMax), clock).catch(() => {});
  }
};

/** By what is written and by what waits; all of them where neither can be read. */
const dueAt = async (deps: ProbeDeps, nowMs: number): Promise<readonly StatusComponent[]> => {
  const { db, services } = deps;
  const [written, waiting] = await Promise.all([
    inTime(lastProbes(db), services.clock).catch(() => new Map<StatusComponent, number>()),
    waitingIn(deps),
  ]);
  const last = new Map(written);
  for (const { component, atMs } of waiting === NOBODY_KNOWS ? [] : waiting)
    last.set(component, Math.max(last.get(component) ?? 0, atMs));
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

/**
 * Reads as far back as the oldest probe that is new, so that those which waited make their incidents too. `rest`: probes
 * that still wait. They say how things are now, and make their incidents when they are written.
 */
const tell = async (
  { db, services: { clock } }: ProbeDeps,
  written: readonly Probe[],
  rest: readonly Probe[],
  nowMs: number,
): Promise<void> => {
  const hourAgoMs = nowMs - HOUR_MS;
  const sinceMs = written.reduce((since, { atMs }) => Math.min(since, atMs - LOOK_BACK_MS), hourAgoMs);
  const records = await inTime(readRecords(db, sinceMs, nowMs), clock);
  const changed = statusComponentNames.flatMap((component) =>
    incidentsOf(latestOf(records, component), of(records, component)),
  );
  const known = new Map(records.incidents.map((incident) => [keyOf(incident), incident]));
  for (const incident of changed) known.set(keyOf(incident), incident);
  const incidents = [...known.values()].sort((a, b) => b.beganAtMs - a.beganAtMs);
  const all = { ...records, probes: [...records.probes, ...rest], incidents };
  await inTime(writeAnswer(db, answerOf(all, hourAgoMs, nowMs), changed), clock);
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
