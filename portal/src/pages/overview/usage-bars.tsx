import type { UsageDay } from '../../../../shared/portal-api.ts';
import { BOTTOM, LEFT, type Plot, TOP } from './plot.ts';

const WIDTH_MIN = 2;
const WIDTH_MAX = 26;

type BarProps = { class: string; x: number; bottom: number; width: number; height: number };

const Bar = ({ bottom, width, height, ...rest }: BarProps) => (
  <rect {...rest} y={bottom - height} width={width} height={height} rx={Math.min(2, width / 4)} />
);

type Props = { plot: Plot; days: readonly UsageDay[]; top: number; onPoint: (day: UsageDay | undefined) => void };

/** A bar for each day: delivered below, failed above, with a gap of 1 between them. */
export const UsageBars = ({ plot, days, top, onPoint }: Props) => {
  const plotHeight = plot.height - BOTTOM - TOP;
  const floor = plot.height - BOTTOM;
  const slot = (plot.width - LEFT) / days.length;
  const width = Math.max(WIDTH_MIN, Math.min(WIDTH_MAX, slot * 0.68));
  return (
    <>
      {days.map((day, i) => {
        const x = LEFT + i * slot + (slot - width) / 2;
        const done = (plotHeight * day.completed) / top;
        const failed = (plotHeight * day.failed) / top;
        return (
          <g key={day.day} onPointerEnter={() => onPoint(day)} onPointerLeave={() => onPoint(undefined)}>
            <rect x={LEFT + i * slot} y={TOP} width={slot} height={plotHeight} fill="transparent" />
            {day.completed > 0 && <Bar class="bar-done" x={x} bottom={floor} width={width} height={done} />}
            {day.failed > 0 && <Bar class="bar-failed" x={x} bottom={floor - done - 1} width={width} height={failed} />}
          </g>
        );
      })}
    </>
  );
};
