/**
 * Runs that are under way, so that their results come back after a reload: they are charged whether or not the page is
 * still there. No secret is kept, only a run's Idempotency-Key and the file's name, for this tab.
 */
import { RUNS_MAX } from './run-keys.ts';

const PLACE = 'packshot.runs';

export type OpenRun = { readonly idempotencyKey: string; readonly name: string };

const isRun = (run: Partial<OpenRun> | null): run is OpenRun =>
  typeof run?.idempotencyKey === 'string' && typeof run.name === 'string';

/** Oldest first; none without storage. */
export const openRuns = (): readonly OpenRun[] => {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(PLACE) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isRun) : [];
  } catch {
    return [];
  }
};

const keep = (runs: readonly OpenRun[]): void => {
  try {
    if (runs.length > 0) sessionStorage.setItem(PLACE, JSON.stringify(runs.slice(-RUNS_MAX)));
    else sessionStorage.removeItem(PLACE);
  } catch {
    // Without storage the run goes on all the same.
  }
};

const others = (idempotencyKey: string): readonly OpenRun[] =>
  openRuns().filter((run) => run.idempotencyKey !== idempotencyKey);

export const noteRun = (run: OpenRun): void => keep([...others(run.idempotencyKey), run]);

/** That one; the others go on. */
export const forgetRun = (idempotencyKey: string): void => keep(others(idempotencyKey));
