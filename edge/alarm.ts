/**
 * The alarm of an object that never stops: what is due by time is done in parts, each caught and logged by itself, so
 * that one that fails stops no other. The platform drops an alarm whose handler throws six times; this one never throws,
 * always sets the next, and any call sets it again should it be gone.
 */
import { edgeLimits } from './limits.ts';
import { errorText, logEvent } from './log.ts';

/** Answers true where its work was bounded and is to go on at once. */
type Part = () => unknown;

/** The first of several times, Infinity where there is none. */
export const earliest = (...times: readonly (number | null | undefined)[]): number =>
  Math.min(...times.map((atMs) => atMs ?? Number.POSITIVE_INFINITY));

export type Alarm = ReturnType<typeof createAlarm>;

/** `dueMs`: when something is due next, Infinity where nothing is. */
export const createAlarm = (
  object: string,
  storage: Pick<DurableObjectStorage, 'getAlarm' | 'setAlarm'>,
  now: () => number,
  dueMs: () => number,
) => {
  /** As far as this instance knows. */
  let atMs: number | null = null;
  let notBeforeMs = 0;

  const set = async (nextMs: number): Promise<void> => {
    atMs = nextMs;
    // Alarms have whole milliseconds; one that fired a fraction early would find nothing due.
    await storage.setAlarm(Math.ceil(nextMs));
  };
  const nextMs = (): number => Math.max(dueMs(), notBeforeMs);
  const setAgainIfGone = async (): Promise<void> => {
    if ((await storage.getAlarm()) !== null) return;
    const next = nextMs();
    if (next < Number.POSITIVE_INFINITY) await set(next);
  };
  const notSet = (error: unknown): void => logEvent('error', 'alarm_not_set', { object, error: errorText(error) });

  /** Set without an await where it changes, so that it is stored together with what was written before it. */
  const arm = async (): Promise<void> => {
    try {
      const next = nextMs();
      if (next === Number.POSITIVE_INFINITY) return;
      await (atMs === null || next < atMs ? set(next) : setAgainIfGone());
    } catch (error) {
      notSet(error);
    }
  };

  const runPart = async (part: string, run: Part): Promise<'done' | 'more' | 'failed'> => {
    try {
      return (await run()) === true ? 'more' : 'done';
    } catch (error) {
      logEvent('error', 'alarm_part_failed', { object, part, error: errorText(error) });
      return 'failed';
    }
  };

  return {
    /** Once, before any call is answered. */
    start: async (): Promise<void> => {
      try {
        atMs = await storage.getAlarm();
      } catch (error) {
        notSet(error);
      }
      await arm();
    },
    /** With every call that may have changed what is due. */
    arm,
    /** With every other call; reads no row unless the alarm is gone. */
    check: (): Promise<void> => setAgainIfGone().catch(notSet),
    /** In the order given. After a failure the next run waits a little, whatever is due. */
    run: async (parts: Readonly<Record<string, Part>>): Promise<void> => {
      atMs = null;
      const results = new Set<string>();
      for (const [name, run] of Object.entries(parts)) results.add(await runPart(name, run));
      notBeforeMs = results.has('failed') ? now() + edgeLimits.alarm.retryMs : 0;
      try {
        const wantedMs = results.has('more') || results.has('failed') ? now() : dueMs();
        const next = Math.max(wantedMs, notBeforeMs);
        if (next < Number.POSITIVE_INFINITY) await set(next);
      } catch (error) {
        notSet(error);
        await storage.setAlarm(now() + edgeLimits.alarm.retryMs).catch(notSet);
      }
    },
  };
};
