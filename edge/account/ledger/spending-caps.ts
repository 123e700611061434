/**
 * What a key may spend on a UTC day. A credit counts on the day on which it was held, and a voided one is given back to
 * that day. A key counts against its own cap and those of the keys that made it. Pure: no I/O, no clock.
 */
import { nextUtcDayMs } from '../../../shared/clock.ts';
import type { CapReached, SpendingCap } from './types.ts';

export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** `atMs`: when the hold counts as opened. A clock that went back over midnight stays in the later day. */
export type Spent =
  | { readonly result: 'within'; readonly caps: readonly SpendingCap[]; readonly atMs: number }
  | { readonly result: 'reached'; readonly cap: CapReached };

/** The caps with `required` more credits of today, or the first that these do not fit under. */
export const spend = (caps: readonly SpendingCap[], required: number, nowMs: number): Spent => {
  const atMs = Math.max(nowMs, ...caps.flatMap(({ day }) => (day === '' ? [] : [Date.parse(day)])));
  const today = caps.map((cap) => (cap.day === dayOf(atMs) ? cap : { ...cap, day: dayOf(atMs), credits: 0 }));
  const full = today.find(({ credits, creditsMax }) => credits + required > creditsMax);
  if (full) {
    const { keyId, creditsMax, credits } = full;
    return { result: 'reached', cap: { keyId, creditsMax, credits, required, resetsAtMs: nextUtcDayMs(atMs) } };
  }
  return { result: 'within', caps: today.map((cap) => ({ ...cap, credits: cap.credits + required })), atMs };
};

/** Those of `caps` that change when credits of a hold opened at `openedAtMs` come back: a day that is over is left alone. */
export const giveBack = (
  caps: readonly SpendingCap[],
  returned: number,
  openedAtMs: number,
): readonly SpendingCap[] => {
  if (returned === 0) return [];
  return caps
    .filter(({ day }) => day === dayOf(openedAtMs))
    .map((cap) => ({ ...cap, credits: cap.credits - returned }));
};
