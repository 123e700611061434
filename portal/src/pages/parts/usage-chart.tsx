/**
 * Images per day as bars (delivered, failed), with the totals in words. The same figures stand in a table for screen
 * readers.
 */
import { useEffect, useState } from 'preact/hooks';
import type { Usage, UsageDay } from '../../../../shared/portal-api.ts';
import { count, dayText, duration, plural } from '../../format.ts';

/** User units equal CSS pixels about, so that the axis stays readable on a phone. */
type Plot = { readonly width: number; readonly height: number; readonly labels: number };
const WIDE: Plot = { width: 960, height: 190, labels: 6 };
const NARROW: Plot = { width: 300, height: 170, labels: 3 };
const NARROW_MEDIA = '(max-width: 600px)';
const LEFT = 40;
const BOTTOM = 24;
const TOP = 10;

const usePlot = (): Plot => {
  const [narrow, setNarrow] = useState(() => matchMedia(NARROW_MEDIA).matches);
  useEffect(() => {
    const media = matchMedia(NARROW_MEDIA);
    const change = (): void => setNarrow(media.matches);
    media.addEventListener('change', change);
    return () => media.removeEventListener('change', change);
  }, []);
  return narrow ? NARROW : WIDE;
};

/** A round number at or above the highest bar, so that grid lines carry whole numbers. */
const ceiling = (max: number): number => {
  if (max <= 4) return 4;
  const step = 10 ** Math.floor(Math.log10(max));
  return [1, 2, 4, 5, 8, 10].map((n) => n * step).find((n) => n >= max) ?? 10 * step;
};

const sum = (days: readonly UsageDay[], field: 'completed' | 'failed' | 'requests' | 'errors'): number =>
  days.reduce((total, day) => total + day[field], 0);
const weighted = (days: readonly UsageDay[], field: 'p50_ms' | 'p95_ms'): number | null => {
  const known = days.filter((day) => day[field] !== null && day.requests > 0);
  const weight = sum(known, 'requests');
  return weight === 0 ? null : known.reduce((total, day) => total + (day[field] ?? 0) * day.requests, 0) / weight;
};

const Bars = ({
  plot: { width: W, height: H },
  days,
  top,
  onPoint,
}: {
  plot: Plot;
  days: readonly UsageDay[];
  top: number;
  onPoint: (day: UsageDay | undefined) => void;
}) => {
  const slot = (W - LEFT) / days.length;
  const width = Math.max(2, Math.min(26, slot * 0.68));
  const y = (n: number): number => ((H - BOTTOM - TOP) * n) / top;
  return (
    <>
      {days.map((day, i) => {
        const x = LEFT + i * slot + (slot - width) / 2;
        const done = y(day.completed);
        const failed = y(day.failed);
        return (
          <g key={day.day} onPointerEnter={() => onPoint(day)} onPointerLeave={() => onPoint(undefined)}>
            <rect x={LEFT + i * slot} y={TOP} width={slot} height={H - BOTTOM - TOP} fill="transparent" />
            {day.completed > 0 && (
              <rect
                class="bar-done"
                x={x}
                y={H - BOTTOM - done}
                width={width}
                height={done}
                rx={Math.min(2, width / 4)}
              />
            )}
            {day.failed > 0 && (
              <rect
                class="bar-failed"
                x={x}
                y={H - BOTTOM - done - failed - 1}
                width={width}
                height={failed}
                rx={Math.min(2, width / 4)}
              />
            )}
          </g>
        );
      })}
    </>
  );
};

const Grid = ({
  plot: { width: W, height: H, labels },
  days,
  top,
}: {
  plot: Plot;
  days: readonly UsageDay[];
  top: number;
}) => {
  const every = Math.ceil(days.length / labels);
  const slot = (W - LEFT) / days.length;
  return (
    <>
      {[0, 0.25, 0.5, 0.75, 1].map((share) => {
        const y = H - BOTTOM - (H - BOTTOM - TOP) * share;
        return (
          <g key={share}>
            <line class="grid-line" x1={LEFT} x2={W} y1={y} y2={y} />
            {share !== 0.25 && share !== 0.75 && (
              <text class="axis" x={LEFT - 8} y={y + 4} text-anchor="end">
                {count(top * share)}
              </text>
            )}
          </g>
        );
      })}
      {days.map(
        (day, i) =>
          (days.length - 1 - i) % every === 0 && (
            <text
              class="axis"
              key={day.day}
              x={LEFT + i * slot + slot / 2}
              y={H - 6}
              text-anchor={i === days.length - 1 ? 'end' : 'middle'}
              dx={i === days.length - 1 ? slot / 2 : 0}
            >
              {dayText(day.day)}
            </text>
          ),
      )}
    </>
  );
};

const FigureTable = ({ days }: { days: readonly UsageDay[] }) => (
  <table class="visually-hidden">
    <caption>Images per day</caption>
    <thead>
      <tr>
        <th>Day</th>
        <th>Delivered</th>
        <th>Failed</th>
      </tr>
    </thead>
    <tbody>
      {days
        .filter((day) => day.completed + day.failed > 0)
        .map((day) => (
          <tr key={day.day}>
            <td>{day.day}</td>
            <td>{day.completed}</td>
            <td>{day.failed}</td>
          </tr>
        ))}
    </tbody>
  </table>
);

export const UsageChart = ({ usage: { days } }: { usage: Usage }) => {
  const [pointed, point] = useState<UsageDay>();
  const plot = usePlot();
  const top = ceiling(Math.max(...days.map((day) => day.completed + day.failed)));
  const completed = sum(days, 'completed');
  const failed = sum(days, 'failed');
  const images = completed + failed;
  const p50 = weighted(days, 'p50_ms');
  const p95 = weighted(days, 'p95_ms');
  const facts = [
    ['Images', count(images)],
    ['Success rate', images === 0 ? '–' : `${((100 * completed) / images).toFixed(completed === images ? 0 : 1)} %`],
    ['Latency p50', p50 === null ? '–' : duration(p50)],
    ['Latency p95', p95 === null ? '–' : duration(p95)],
  ] as const;
  return (
    <>
      <dl class="chart-facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class="num">{value}</dd>
          </div>
        ))}
      </dl>
      <div class="chart" aria-hidden="true">
        <svg viewBox={`0 0 ${plot.width} ${plot.height}`} width={plot.width} height={plot.height} class="chart-svg">
          <Grid plot={plot} days={days} top={top} />
          <Bars plot={plot} days={days} top={top} onPoint={point} />
        </svg>
        <p class="chart-note small muted">
          {pointed
            ? `${dayText(pointed.day)}: ${plural(pointed.completed, 'image')} delivered${pointed.failed > 0 ? `, ${count(pointed.failed)} failed` : ''}`
            : images === 0
              ? 'No images in this range yet.'
              : '\u00a0'}
        </p>
      </div>
      <FigureTable days={days} />
    </>
  );
};
