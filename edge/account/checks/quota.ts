/** How many checks of this minute and this day (UTC) are left. Pure: no I/O, no clock. */
import { limits } from '../../../shared/limits.ts';
import type { Quota } from './port.ts';

/** `minute` and `day` are counted from the Unix epoch. */
export type CheckUse = {
  readonly minute: number;
  readonly inMinute: number;
  readonly day: number;
  readonly inDay: number;
};
export const noChecks: CheckUse = { minute: 0, inMinute: 0, day: 0, inDay: 0 };

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const { perMinute, perDay } = limits.checks;

/** As the windows stand now. A clock that went back counts on in the later window. */
export const useAt = (use: CheckUse, nowMs: number): CheckUse => {
  const minute = Math.floor(nowMs / MINUTE_MS);
  const day = Math.floor(nowMs / DAY_MS);
  return {
    ...(minute > use.minute ? { minute, inMinute: 0 } : { minute: use.minute, inMinute: use.inMinute }),
    ...(day > use.day ? { day, inDay: 0 } : { day: use.day, inDay: use.inDay }),
  };
};

export const withOneMore = (use: CheckUse): CheckUse => ({
  ...use,
  inMinute: use.inMinute + 1,
  inDay: use.inDay + 1,
});

export const quotasOf = ({ minute, inMinute, day, inDay }: CheckUse, nowMs: number): readonly [Quota, Quota] => [
  {
    policy: 'checks-minute',
    perWindow: perMinute,
    windowMs: MINUTE_MS,
    remaining: perMinute - inMinute,
    resetMs: (minute + 1) * MINUTE_MS - nowMs,
  },
  {
    policy: 'checks-day',
    perWindow: perDay,
    windowMs: DAY_MS,
    remaining: perDay - inDay,
    resetMs: (day + 1) * DAY_MS - nowMs,
  },
];

/** The used-up allowance that lasts longest; undefined where one more check is allowed. */
export const spentQuota = ([minute, day]: readonly [Quota, Quota]): Quota | undefined =>
  day.remaining < 1 ? day : minute.remaining < 1 ? minute : undefined;
