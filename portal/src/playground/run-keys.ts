/**
 * Under which Idempotency-Key a run is sent. While nobody knows what became of a run, the same one sent again has the key
 * of before, so that it is charged once. No I/O.
 */
import { dropOldest } from '../../../shared/drop-oldest.ts';
import { type ErrorRow, errors } from '../../../shared/errors.ts';

/** Runs of one tab whose end is not known. */
export const RUNS_MAX = 16;

type KeyedRun = { readonly place: string; readonly idempotencyKey: string; readonly isRepeat: boolean };

export type RunKeys = {
  /** `request`: all that is sent with the file. Another file is another run, even one of the same bytes. */
  readonly begin: (file: Blob, request: string) => KeyedRun;
  /** False while the run may have been made, and may be going on. `code`: of what it was refused for. */
  readonly end: (run: KeyedRun, code: string | undefined) => boolean;
};

/** Answers that leave open what became of the request that got them. */
const OPEN: readonly string[] = ['unreachable', 'outcome_unknown', 'idempotency_in_flight', 'internal_error'];
const isOpen = (code: string): boolean => OPEN.includes(code) || /^status_5\d\d$/.test(code);

/** Answers that tell what became of the run before: its images failed, it was deleted, or the key is of no more use. */
const tellsOfBefore = (code: string): boolean => {
  const row: ErrorRow | undefined = Object.hasOwn(errors, code) ? errors[code as keyof typeof errors] : undefined;
  return row?.scope === 'image' || code === 'batch_deleted' || code === 'idempotency_mismatch';
};

/** A repetition that is refused, for its rate say, leaves open what became of the run that it repeats. */
const isDecided = (code: string | undefined, isRepeat: boolean): boolean =>
  code === undefined || (isRepeat ? tellsOfBefore(code) : !isOpen(code));

export const createRunKeys = (newKey: () => string): RunKeys => {
  const keys = new Map<string, string>();
  const numbers = new WeakMap<Blob, number>();
  let files = 0;
  const numberOf = (file: Blob): number => {
    const number = numbers.get(file) ?? ++files;
    numbers.set(file, number);
    return number;
  };
  const keep = (place: string, idempotencyKey: string): void => {
    keys.set(place, idempotencyKey);
    dropOldest(keys, RUNS_MAX);
  };
  return {
    begin: (file, request) => {
      const place = `${numberOf(file)} ${request}`;
      const before = keys.get(place);
      const idempotencyKey = before ?? newKey();
      keep(place, idempotencyKey);
      return { place, idempotencyKey, isRepeat: before !== undefined };
    },
    end: ({ place, idempotencyKey, isRepeat }, code) => {
      const kept = keys.get(place);
      if (!isDecided(code, isRepeat)) {
        if (kept === undefined) keep(place, idempotencyKey);
        return false;
      }
      if (kept === idempotencyKey) keys.delete(place);
      return true;
    },
  };
};
