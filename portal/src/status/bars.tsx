/** Ninety days of one component, a bar each: what was measured, and what was not. */
import type { StatusDay } from '../../../shared/status.ts';
import { STATUS_DAYS } from '../../../shared/status.ts';
import { dayText, duration } from '../format.ts';

const DAY_MS = 86_400_000;
const SECONDS_OF_DAY = 86_400;
const BAR = 4;
const GAP = 2;
const HEIGHT = 28;
/** A past day with fewer of its probes says too little of the rest. */
const MEASURED_SHARE_MIN = 0.5;

const probesOf = ({ ok, slow, failed }: StatusDay): number => ok + slow + failed;

/** Share of probes that did not fail; undefined of none. */
export const uptimeOf = (days: readonly StatusDay[]): number | undefined => {
  const probes = days.reduce((sum, day) => sum + probesOf(day), 0);
  return probes === 0 ? undefined : days.reduce((sum, { ok, slow }) => sum + ok + slow, 0) / probes;
};

/** Rounded down: what was not always up is never 100 %. */
export const percent = (share: number): string =>
  `${(Math.floor(share * 10_000) / 100).toFixed(share === 1 ? 0 : 2)} %`;

const toneOf = (day: StatusDay | undefined, isPartly: boolean): string => {
  if (!day || probesOf(day) === 0) return 'none';
  const uptime = uptimeOf([day]) ?? 0;
  if (uptime < 0.95) return 'bad';
  if (uptime < 1 || day.slow / probesOf(day) > 0.05) return 'warn';
  return isPartly ? 'partly' : 'good';
};

const wordsOf = (date: string, day: StatusDay | undefined, isPartly: boolean): string => {
  if (!day || probesOf(day) === 0) return `${dayText(date)}: not measured`;
  const latency = day.latency_ms === null ? '' : `, mean ${duration(day.latency_ms)}`;
  return `${dayText(date)}: ${percent(uptimeOf([day]) ?? 0)}${latency}${isPartly ? ', measured in part' : ''}`;
};

type Props = { name: string; days: readonly StatusDay[]; everySeconds: number; nowMs: number };

/** `days` may leave some out. UTC. */
export const DayBars = ({ name, days, everySeconds, nowMs }: Props) => {
  const byDate = new Map(days.map((day) => [day.date, day]));
  const dates = Array.from({ length: STATUS_DAYS }, (_, i) =>
    new Date(nowMs - (STATUS_DAYS - 1 - i) * DAY_MS).toISOString().slice(0, 10),
  );
  const uptime = uptimeOf(days);
  const said =
    uptime === undefined
      ? `${name}: not measured yet`
      : `${name}: ${percent(uptime)} of ${days.length} measured ${days.length === 1 ? 'day' : 'days'}`;
  return (
    <svg
      class="status-bars"
      viewBox={`0 0 ${STATUS_DAYS * (BAR + GAP) - GAP} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={said}
    >
      {dates.map((date, i) => {
        const day = byDate.get(date);
        const isPast = i < STATUS_DAYS - 1;
        const expected = SECONDS_OF_DAY / everySeconds;
        const isPartly = isPast && day !== undefined && probesOf(day) < expected * MEASURED_SHARE_MIN;
        return (
          <rect key={date} x={i * (BAR + GAP)} y="0" width={BAR} height={HEIGHT} rx="1.5" class={toneOf(day, isPartly)}>
            <title>{wordsOf(date, day, isPartly)}</title>
          </rect>
        );
      })}
    </svg>
  );
};
