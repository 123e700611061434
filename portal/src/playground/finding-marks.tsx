/** Boxes of findings, over all of the photo. */
import type { PublicFinding } from '../../../shared/check-api.ts';
import type { Size } from '../../../shared/imaging/raster.ts';

type Props = {
  findings: readonly PublicFinding[];
  photo: Size;
};

/** Of the marks, by the longer side of the photo, so that they are readable on a phone. */
const RADIUS = 0.03;
const TEXT = 0.038;

export const FindingMarks = ({ findings, photo: { width, height } }: Props) => {
  const boxed = findings.flatMap(({ box, severity }, index) => (box ? [{ box, severity, number: index + 1 }] : []));
  if (boxed.length === 0) return null;
  const side = Math.max(width, height);
  const radius = side * RADIUS;
  const inside = (at: number, end: number): number => Math.min(Math.max(at, radius * 1.2), end - radius * 1.2);
  return (
    <svg
      class="finding-marks"
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={`${boxed.length} ${boxed.length === 1 ? 'finding' : 'findings'} marked on the photo`}
    >
      {boxed.map(({ box, severity, number }) => (
        <g key={number} class={severity} data-finding={number}>
          <rect class="halo" x={box.x} y={box.y} width={box.width} height={box.height} />
          <rect x={box.x} y={box.y} width={box.width} height={box.height} />
          <circle cx={inside(box.x, width)} cy={inside(box.y, height)} r={radius} />
          <text x={inside(box.x, width)} y={inside(box.y, height)} font-size={side * TEXT}>
            {number}
          </text>
        </g>
      ))}
    </svg>
  );
};
