/**
 * Requests that were turned away, e.g. with 429: an account that goes on sending them must not fill its log. So many
 * lines a minute are written; the others are counted in memory until the alarm adds them to the day's sums. An object
 * that is evicted before loses those of one interval.
 */
import { edgeLimits } from '../../limits.ts';
import { type Tallies, withRequest } from './days.ts';
import type { RequestRow } from './port.ts';

const MINUTE_MS = 60_000;

/** Answered with a client's error, without any image or batch. */
export const isRefusal = ({ status, images, batchId }: RequestRow): boolean =>
  status >= 400 && status < 500 && images === 0 && batchId === null;

export const createRefusals = () => {
  let minute = 0;
  let logged = 0;
  let counted: Tallies = [];
  return {
    /** False: the request was counted instead, and gets no line. */
    mayLog: (row: RequestRow, nowMs: number): boolean => {
      const now = Math.floor(nowMs / MINUTE_MS);
      if (now !== minute) [minute, logged] = [now, 0];
      if (logged++ < edgeLimits.requestLog.refusedRowsPerMinute) return true;
      counted = withRequest(counted, row);
      return false;
    },
    counted: (): Tallies => counted,
    forget: (): void => {
      counted = [];
    },
  };
};
