/** Bars by day, week or month, stacked by part. The table below the chart has the same figures for screen readers. */
import { useState } from 'preact/hooks';
import type { UsageReport } from '../../../../shared/portal-api.ts';
import { count } from '../../format.ts';
import { BOTTOM, LEFT, type Plot, TOP, usePlot } from '../overview/plot.ts';
import { ceiling } from '../overview/usage-figures.ts';
import { UsageGrid } from '../overview/usage-grid.tsx';
import { type Bar, barsOf, type Segment } from './bars.ts';

const WIDTH_MIN = 2;
const WIDTH_MAX = 40;
/** Between two segments. */
const GAP = 1;

type StackProps = { bar: Bar; x: number; width: number; unit: number; floor: number };

const Stack = ({ bar, x, width, unit, floor }: StackProps) => {
  let bottom = floor;
  return (
    <>
      {bar.segments
        .filter((segment) => segment.count > 0)
        .map((segment) => {
          const height = segment.count * unit;
          bottom -= height;
          return (
            <rect
              key={segment.id}
              class={segment.class}
              x={x}
              y={bottom}
              width={width}
              height={Math.max(0.5, height - GAP)}
              rx={Math.min(2, width / 4)}
            />
          );
        })}
    </>
  );
};

type BarsProps = { plot: Plot; bars: readonly Bar[]; top: number; onPoint: (bar: Bar | undefined) => void };

const Bars = ({ plot, bars, top, onPoint }: BarsProps) => {
  const height = plot.height - BOTTOM - TOP;
  const slot = (plot.width - LEFT) / bars.length;
  const width = Math.max(WIDTH_MIN, Math.min(WIDTH_MAX, slot * 0.68));
  return (
    <>
      {bars.map((bar, i) => (
        <g key={bar.name} onPointerEnter={() => onPoint(bar)} onPointerLeave={() => onPoint(undefined)}>
          <rect x={LEFT + i * slot} y={TOP} width={slot} height={height} fill="transparent" />
          <Stack
            bar={bar}
            x={LEFT + i * slot + (slot - width) / 2}
            width={width}
            unit={height / top}
            floor={plot.height - BOTTOM}
          />
        </g>
      ))}
    </>
  );
};

const Legend = ({ segments }: { segments: readonly Segment[] }) => (
  <ul class="usage-legend small">
    {segments.map((segment) => (
      <li key={segment.id}>
        <svg width="10" height="10" viewBox="0 0 10 10" aria-hidden="true">
          <rect class={segment.class} width="10" height="10" rx="2" />
        </svg>
        {segment.label}
      </li>
    ))}
  </ul>
);

const pointedText = ({ name, segments }: Bar): string => {
  const used = segments.filter((segment) => segment.count > 0);
  return `${name}: ${used.length === 0 ? 'nothing' : used.map((one) => `${one.label} ${count(one.count)}`).join(', ')}`;
};

export const SplitChart = ({ report, show }: { report: UsageReport; show: string }) => {
  const [pointed, point] = useState<Bar>();
  const plot = usePlot();
  const bars = barsOf(report, show);
  const top = ceiling(Math.max(...bars.map(({ total }) => total)));
  const legend = (bars[0]?.segments ?? []).filter(({ id }) =>
    bars.some(({ segments }) => segments.some((segment) => segment.id === id && segment.count > 0)),
  );
  return (
    <>
      <div class="chart" aria-hidden="true">
        <svg
          aria-hidden="true"
          class="chart-svg"
          viewBox={`0 0 ${plot.width} ${plot.height}`}
          width={plot.width}
          height={plot.height}
        >
          <UsageGrid plot={plot} names={bars.map(({ axis }) => axis)} top={top} />
          <Bars plot={plot} bars={bars} top={top} onPoint={point} />
        </svg>
        <p class="chart-note small muted">{pointed ? pointedText(pointed) : '\u00a0'}</p>
      </div>
      <Legend segments={legend} />
    </>
  );
};
