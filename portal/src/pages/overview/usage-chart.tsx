/**
 * Images per day as bars (delivered, failed), with the totals in words. A table has the same figures for screen readers.
 */
import { useState } from 'preact/hooks';
import type { Usage, UsageDay } from '../../../../shared/portal-api.ts';
import { count, dayText, duration, plural } from '../../format.ts';
import { usePlot } from './plot.ts';
import { UsageBars } from './usage-bars.tsx';
import { ceiling, sum, weighted } from './usage-figures.ts';
import { UsageGrid } from './usage-grid.tsx';

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
        <svg
          aria-hidden="true"
          class="chart-svg"
          viewBox={`0 0 ${plot.width} ${plot.height}`}
          width={plot.width}
          height={plot.height}
        >
          <UsageGrid plot={plot} names={days.map(({ day }) => dayText(day))} top={top} />
          <UsageBars plot={plot} days={days} top={top} onPoint={point} />
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
