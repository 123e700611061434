/** The status page's tables in D1 (migration 0011). */
import { utcDay } from '../../shared/clock.ts';
import { STATUS_DAYS, type StatusAnswer, type StatusComponent, type StatusDay } from '../../shared/status.ts';
import { edgeLimits } from '../limits.ts';
import type { Incident, Probe } from './judge.ts';

const DAY_MS = 86_400_000;
const { probesKeptMs, sweepRowsMax, incidentsMax } = edgeLimits.status;

/**
 * The days' sums first, and only of probes that are not there yet: written twice, one counts once. All probes are one
 * value, because D1 counts statements.
 */
const insertProbes = (db: D1Database, probes: readonly Probe[]): D1PreparedStatement[] => {
  const given = `select distinct value ->> 'component' as component, value ->> 'day' as day, value ->> 'atMs' as at,
    value ->> 'result' as result, value ->> 'tookMs' as took_ms from json_each(?)`;
  const json = JSON.stringify(probes.map((probe) => ({ ...probe, day: utcDay(probe.atMs) })));
  return [
    db
      .prepare(
        `insert into status_days (component, day, ok, slow, failed, answered_ms)
         select component, day, sum(result = 'ok'), sum(result = 'slow'), sum(result = 'failed'),
           sum(case when result = 'failed' then 0 else took_ms end)
         from (${given}) as given
         where not exists
           (select 1 from status_probes as old where old.component = given.component and old.at = given.at)
         group by component, day
         on conflict (component, day) do update set
           ok = ok + excluded.ok, slow = slow + excluded.slow, failed = failed + excluded.failed,
           answered_ms = answered_ms + excluded.answered_ms`,
      )
      .bind(json),
    db
      .prepare(
        `insert or ignore into status_probes (component, at, result, took_ms)
         select component, at, result, took_ms from (${given})`,
      )
      .bind(json),
  ];
};

/** In one transaction; and what is too old goes, a bounded number of rows. */
export const writeProbes = async (db: D1Database, probes: readonly Probe[], nowMs: number): Promise<void> => {
  await db.batch([
    ...insertProbes(db, probes),
    db
      .prepare(
        `delete from status_probes where rowid in (select rowid from status_probes where at < ? limit ${sweepRowsMax})`,
      )
      .bind(nowMs - probesKeptMs),
    db.prepare('delete from status_days where day < ?').bind(firstDay(nowMs)),
    db.prepare('delete from status_incidents where ended_at < ?').bind(nowMs - STATUS_DAYS * DAY_MS),
    db.prepare(
      `delete from status_incidents where rowid in
         (select rowid from status_incidents order by began_at desc limit -1 offset ${incidentsMax})`,
    ),
  ]);
};

const firstDay = (nowMs: number): string => utcDay(nowMs - (STATUS_DAYS - 1) * DAY_MS);

type ProbeRow = { component: StatusComponent; at: number; result: Probe['result']; took_ms: number };
type DayRow = {
  component: StatusComponent;
  day: string;
  ok: number;
  slow: number;
  failed: number;
  answered_ms: number;
};
type IncidentRow = { component: StatusComponent; began_at: number; kind: Incident['kind']; ended_at: number | null };

const probeOf = ({ component, at, result, took_ms }: ProbeRow): Probe => ({
  component,
  atMs: at,
  result,
  tookMs: took_ms,
});
const incidentOf = ({ component, began_at, kind, ended_at }: IncidentRow): Incident => ({
  component,
  kind,
  beganAtMs: began_at,
  endedAtMs: ended_at,
});

export type Records = {
  /** Since the time asked for, oldest first. */
  readonly probes: readonly Probe[];
  readonly days: ReadonlyMap<StatusComponent, readonly StatusDay[]>;
  /** Newest first. */
  readonly incidents: readonly Incident[];
};

export const readRecords = async (db: D1Database, sinceMs: number, nowMs: number): Promise<Records> => {
  const [probes, days, incidents] = await db.batch([
    db.prepare('select component, at, result, took_ms from status_probes where at >= ? order by at').bind(sinceMs),
    db
      .prepare('select component, day, ok, slow, failed, answered_ms from status_days where day >= ? order by day')
      .bind(firstDay(nowMs)),
    db.prepare('select component, began_at, kind, ended_at from status_incidents order by began_at desc'),
  ]);
  const byComponent = new Map<StatusComponent, StatusDay[]>();
  for (const { component, day, ok, slow, failed, answered_ms } of (days?.results ?? []) as DayRow[]) {
    const latency = ok + slow > 0 ? Math.round(answered_ms / (ok + slow)) : null;
    const list = byComponent.get(component) ?? [];
    list.push({ date: day, ok, slow, failed, latency_ms: latency });
    byComponent.set(component, list);
  }
  return {
    probes: ((probes?.results ?? []) as ProbeRow[]).map(probeOf),
    days: byComponent,
    incidents: ((incidents?.results ?? []) as IncidentRow[]).map(incidentOf),
  };
};

/** The answer, and the incidents that changed. */
export const writeAnswer = async (
  db: D1Database,
  answer: StatusAnswer,
  incidents: readonly Incident[],
): Promise<void> => {
  await db.batch([
    ...incidents.map(({ component, beganAtMs, kind, endedAtMs }) =>
      db
        .prepare(
          `insert into status_incidents (component, began_at, kind, ended_at) values (?, ?, ?, ?)
           on conflict (component, began_at) do update set kind = excluded.kind, ended_at = excluded.ended_at`,
        )
        .bind(component, beganAtMs, kind, endedAtMs),
    ),
    db.prepare('update status_now set answer = ? where id = 1').bind(JSON.stringify(answer)),
  ]);
};

/** Undefined before the first run. */
export const readAnswer = async (db: D1Database): Promise<StatusAnswer | undefined> => {
  const row = await db.prepare('select answer from status_now where id = 1').first<{ answer: string | null }>();
  return row?.answer ? (JSON.parse(row.answer) as StatusAnswer) : undefined;
};

/** When each component was probed last. */
export const lastProbes = async (db: D1Database): Promise<ReadonlyMap<StatusComponent, number>> => {
  const { results } = await db
    .prepare('select component, max(at) as at from status_probes group by component')
    .all<{ component: StatusComponent; at: number }>();
  return new Map(results.map(({ component, at }) => [component, at]));
};
