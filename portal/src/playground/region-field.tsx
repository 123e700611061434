/** Which product, where the photo shows several: a box drawn on it, or the same in numbers. */
import { useRef, useState } from 'preact/hooks';
import type { Box } from '../../../shared/imaging/raster.ts';
import { parseRegion } from '../../../shared/region.ts';
import { Button } from '../components/button.tsx';

type Props = {
  photoUrl: string;
  /** In percent of the photo; undefined: all of it. */
  region: string | undefined;
  onRegion: (region: string | undefined) => void;
};
type Point = { readonly x: number; readonly y: number };

/** Share of the photo's sides below which a drag was a tap. */
const DRAG_MIN = 0.02;

const boxBetween = (a: Point, b: Point): Box => {
  const [x, y] = [Math.min(a.x, b.x), Math.min(a.y, b.y)];
  return { x, y, width: Math.abs(a.x - b.x), height: Math.abs(a.y - b.y) };
};

/** Edges are rounded, not sides, so that a box that ends at the photo's edge still does. */
const textOf = ({ x, y, width, height }: Box): string => {
  const tenths = (share: number): number => Math.round(share * 1000);
  const [left, top] = [tenths(x), tenths(y)];
  const sides = [left, top, tenths(x + width) - left, tenths(y + height) - top];
  return sides.map((side) => `${side / 10}%`).join(',');
};

const pointIn = (photo: Element, { clientX, clientY }: PointerEvent): Point => {
  const { left, top, width, height } = photo.getBoundingClientRect();
  const within = (share: number): number => Math.min(1, Math.max(0, share));
  return { x: within((clientX - left) / width), y: within((clientY - top) / height) };
};

const Drawn = ({ box: { x, y, width, height } }: { box: Box }) => (
  <span
    class="region-box"
    style={{ left: `${x * 100}%`, top: `${y * 100}%`, width: `${width * 100}%`, height: `${height * 100}%` }}
  />
);

const RegionPhoto = ({ photoUrl, region, onRegion }: Props) => {
  const from = useRef<Point | undefined>(undefined);
  const [drawing, setDrawing] = useState<Box>();
  const finish = (): void => {
    from.current = undefined;
    if (drawing && Math.min(drawing.width, drawing.height) >= DRAG_MIN) onRegion(textOf(drawing));
    setDrawing(undefined);
  };
  const shown = drawing ?? (region === undefined ? undefined : parseRegion(region));
  return (
    <div
      class="region-photo"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        from.current = pointIn(event.currentTarget, event);
      }}
      onPointerMove={(event) =>
        from.current && setDrawing(boxBetween(from.current, pointIn(event.currentTarget, event)))
      }
      onPointerUp={finish}
      onPointerCancel={finish}
    >
      <img src={photoUrl} alt="" draggable={false} />
      {shown && <Drawn box={shown} />}
    </div>
  );
};

export const RegionField = (props: Props) => {
  const { region, onRegion } = props;
  const [isWrong, setWrong] = useState(false);
  const typed = (text: string): void => {
    const isEmpty = text.trim() === '';
    const isRegion = parseRegion(text)?.unit === 'share';
    setWrong(!isEmpty && !isRegion);
    if (isEmpty || isRegion) onRegion(isEmpty ? undefined : text);
  };
  return (
    <details class="further">
      <summary>One product of several{region !== undefined && ': chosen'}</summary>
      <div class="stack tight">
        <p class="hint">Draw a box around it, with a little room.</p>
        <RegionPhoto {...props} />
        <label class="field">
          <span class="label">Region</span>
          <input
            class="input"
            name="region"
            value={region ?? ''}
            placeholder="10%,5%,45%,90%"
            aria-invalid={isWrong}
            aria-describedby="region-hint"
            onChange={(event) => typed(event.currentTarget.value)}
          />
          <span id="region-hint" class={isWrong ? 'field-error' : 'hint'}>
            Left, top, width and height in percent of the photo.
          </span>
        </label>
        {region !== undefined && (
          <Button compact onClick={() => onRegion(undefined)}>
            Whole photo
          </Button>
        )}
      </div>
    </details>
  );
};
