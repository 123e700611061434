/**
 * What `/status.json` answers: what the last run left, with the states as they are now. An answer that nobody has renewed
 * is never shown as good.
 */
import type { Clock } from '../../shared/clock.ts';
import {
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

type Read = { readonly answer: StatusAnswer; readonly isReadable: boolean; readonly atMs: number };

/** One reader for an isolate: whoever asks within `edgeLimits.status.rememberedMs` gets what was read then. */
export const statusReader = (db: D1Database, clock: Pick<Clock, 'nowMs'>): (() => Promise<StatusAnswer>) => {
  let last: Read | undefined;
  const read = async (): Promise<Read> => {
    try {
      return { answer: (await readAnswer(db)) ?? nothingKnown, isReadable: true, atMs: clock.nowMs() };
    } catch (error) {
      logEvent('warn', 'status_not_read', { error: errorText(error) });
      return { answer: last?.answer ?? nothingKnown, isReadable: false, atMs: clock.nowMs() };
    }
  };
  return async () => {
    const nowMs = clock.nowMs();
    if (!last || nowMs - last.atMs >= edgeLimits.status.rememberedMs) last = await read();
    return asOf(last, nowMs);
  };
};

/** This very request is a probe of the database, too: where it cannot be read, it is down. */
const asOf = ({ answer, isReadable }: Read, nowMs: number): StatusAnswer => {
  const components = answer.components.map((component) => ({
    ...component,
    state: component.id === 'database' && !isReadable ? ('down' as const) : stateNow(component, nowMs),
  }));
  return { ...answer, state: worstOf(components.map(({ state }) => state)), components };
};
