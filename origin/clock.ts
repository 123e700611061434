/** The clock by which a node measures durations. It never jumps; Unix time comes from shared/clock.ts. */
import { type Clock, systemClock } from '../shared/clock.ts';

/** Milliseconds since the process started. */
export const monotonicClock: Clock = { nowMs: () => performance.now(), after: systemClock.after };
