import { count } from '../../format.ts';
import { BOTTOM, LEFT, type Plot, TOP } from './plot.ts';

/** `names`: of the bars, from left to right, of which some are written. */
type Props = { plot: Plot; names: readonly string[]; top: number };

export const UsageGrid = ({ plot: { width: W, height: H, labels }, names, top }: Props) => {
  const every = Math.ceil(names.length / labels);
  const slot = (W - LEFT) / names.length;
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
      {names.map(
        (name, i) =>
          (names.length - 1 - i) % every === 0 && (
            <text
              class="axis"
              key={name}
              x={LEFT + i * slot + slot / 2}
              y={H - 6}
              text-anchor={i === names.length - 1 ? 'end' : 'middle'}
              dx={i === names.length - 1 ? slot / 2 : 0}
            >
              {name}
            </text>
          ),
      )}
    </>
  );
};
