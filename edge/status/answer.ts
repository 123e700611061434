/**
 * What `/status.json` answers: what the last run left, with the states as they are now. An answer that nobody has renewed
 * is never shown as good.
 */
import { type Clock, TIMED_OUT, withTimeout } from '../../shared/clock.ts';
import {
  type ComponentState,
  type ComponentStatus,
  type StatusAnswer,
  stateNow,
  statusComponentNames,
  statusComponents,
  worstOf,
} from '../../shared/status.ts';
import { edgeLimits } from '../limits.ts';
import { errorText, logEvent } from '../log.ts';
import { readAnswer } from './store.ts';

/** Before the first run, or while the database cannot be read by an isolate that never read it. */
const nothingKnown: StatusAnswer = {
  state: 'unknown',
  components: statusComponentNames.map((id): ComponentStatus => {
    const { name, measured, everyMs } = statusComponents[id];
    return {
      id,
      name,
      measured,
      state: 'unknown',
      last_probe_at: null,
      every_seconds: everyMs / 1_000,
      latency_ms: null,
      days: [],
    };
  }),
  incidents: [],
};

/** `slow`: it did not answer within `edgeLimits.status.readMsMax`. */
type Database = 'readable' | 'slow' | 'broken';
/** `begunMs`: of its read. `atMs`: how old it is. */
type Read = {
  readonly answer: StatusAnswer;
  readonly database: Database;
  readonly begunMs: number;
  readonly atMs: number;
};

/** For work that may outlast the request. */
type KeepAlive = (work: Promise<unknown>) => void;

/**
 * One reader for an isolate: whoever asks within `edgeLimits.status.rememberedMs` gets what was read then, and so does
 * who asks while another request reads. No request waits for another's read, which ends with that request.
 */
export const statusReader = (db: D1Database, clock: Clock): ((keepAlive: KeepAlive) => Promise<StatusAnswer>) => {
  let last: Read | undefined;
  let readingSinceMs: number | undefined;
  const keep = (read: Omit<Read, 'atMs'>): void => {
    if (!last || read.begunMs >= last.begunMs) last = { ...read, atMs: clock.nowMs() };
  };
  const read = async (begunMs: number): Promise<void> => {
    try {
      keep({ answer: (await readAnswer(db)) ?? nothingKnown, database: 'readable', begunMs });
    } catch (error) {
      logEvent('warn', 'status_not_read', { error: errorText(error) });
      keep({ answer: last?.answer ?? nothingKnown, database: 'broken', begunMs });
    }
    if (readingSinceMs === begunMs) readingSinceMs = undefined;
  };
  /** In bounded time; a read that takes longer goes on, and is told when it is there. */
  const renew = async (nowMs: number, keepAlive: KeepAlive): Promise<void> => {
    readingSinceMs = nowMs;
    const reading = read(nowMs);
    keepAlive(reading);
    if ((await withTimeout(reading, edgeLimits.status.readMsMax, clock)) !== TIMED_OUT) return;
    logEvent('warn', 'status_not_read', { error: `no answer in ${edgeLimits.status.readMsMax} ms` });
    if (readingSinceMs === nowMs) keep({ answer: last?.answer ?? nothingKnown, database: 'slow', begunMs: nowMs });
  };
  return async (keepAlive) => {
    const nowMs = clock.nowMs();
    const isOld = !last || nowMs - last.atMs >= edgeLimits.status.rememberedMs;
    const isRead = readingSinceMs !== undefined && nowMs - readingSinceMs < edgeLimits.status.rememberedMs;
    if (isOld && !(last && isRead)) await renew(nowMs, keepAlive);
    return last ? asOf(last, nowMs) : nothingKnown;
  };
};

/** This very request is a probe of the database, too: where it cannot be read, it is down. */
const asOf = ({ answer, database }: Read, nowMs: number): StatusAnswer => {
  const stateOf = (component: ComponentStatus): ComponentState => {
    const state = stateNow(component, nowMs);
    if (component.id !== 'database' || database === 'readable') return state;
    return database === 'broken' || state === 'down' ? 'down' : 'degraded';
  };
  const components = answer.components.map((component) => ({ ...component, state: stateOf(component) }));
  return { ...answer, state: worstOf(components.map(({ state }) => state)), components };
};
