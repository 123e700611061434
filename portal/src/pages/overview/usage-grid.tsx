import type { UsageDay } from '../../../../shared/portal-api.ts';
import { count, dayText } from '../../format.ts';
import { BOTTOM, LEFT, type Plot, TOP } from './plot.ts';

type Props = { plot: Plot; days: readonly UsageDay[]; top: number };

export const UsageGrid = ({ plot: { width: W, height: H, labels }, days, top }: Props) => {
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
