import type { UsageDay } from '../../../../shared/portal-api.ts';
import { BOTTOM, LEFT, type Plot, TOP } from './plot.ts';

export const UsageBars = ({
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
