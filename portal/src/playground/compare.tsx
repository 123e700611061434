/**
 * Before and after under one slider, the same pixel of the product at the same place in both. First as in the photo,
 * then the product moves to its place on the canvas, and its measures appear. The slider is a real range input:
 * keyboard and screen reader work by themselves.
 */
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Plan } from '../components/plan.ts';
import { photoOnCanvas, type Registered, toShowWhole } from '../components/registration.ts';
import { Sheet } from '../components/sheet.tsx';

export const BitmapView = ({
  bitmap,
  label,
  class: extra = '',
}: {
  bitmap: ImageBitmap;
  label: string;
  class?: string;
}) => {
  const canvas = useRef<HTMLCanvasElement>(null);
  // Before the browser paints, so that picture and measures change in one frame.
  useLayoutEffect(() => {
    const element = canvas.current;
    if (!element) return;
    element.width = bitmap.width;
    element.height = bitmap.height;
    element.getContext('2d')?.drawImage(bitmap, 0, 0);
  }, [bitmap]);
  return <canvas ref={canvas} class={extra} role="img" aria-label={label} />;
};

/** The knob stays inside the picture, so that it is not cut in half at the ends. */
const knobAt = (share: number): string => `clamp(1rem, ${share}%, calc(100% - 1rem))`;
const percent = (share: number): string => `${100 * share}%`;

/** How long the product is seen where the photo has it. */
const IN_PHOTO_MS = 900;

const isStill = (): boolean => matchMedia('(prefers-reduced-motion: reduce)').matches;

/** On the canvas or as in the photo: a new photo is shown the one way first, then the other. */
const usePlace = (photoKey: string, staysInPhoto: boolean): [isOnCanvas: boolean, set: (on: boolean) => void] => {
  const [isOnCanvas, setOnCanvas] = useState(false);
  useEffect(() => {
    if (staysInPhoto) return setOnCanvas(false);
    if (isStill()) return setOnCanvas(true);
    const timer = setTimeout(() => setOnCanvas(true), IN_PHOTO_MS);
    return () => clearTimeout(timer);
  }, [photoKey, staysInPhoto]);
  return [isOnCanvas, setOnCanvas];
};

type PlaceProps = { isOnCanvas: boolean; onChange: (isOnCanvas: boolean) => void };
export const PlaceChoice = ({ isOnCanvas, onChange }: PlaceProps) => (
  <fieldset class="segments" aria-label="Show the product">
    <button type="button" aria-pressed={!isOnCanvas} onClick={() => onChange(false)}>
      In the photo
    </button>
    <button type="button" aria-pressed={isOnCanvas} onClick={() => onChange(true)}>
      On the canvas
    </button>
  </fieldset>
);

type Props = {
  /** Changes with the photo. */
  photoKey: string;
  plan: Plan;
  registered: Registered;
  before: ComponentChildren;
  after: ComponentChildren;
  afterName: string;
  /** The photo is shown whole then, for what is marked on it; anything else shows both halves. */
  showsPhoto?: boolean;
  caption: ComponentChildren;
};

export const Compare = (props: Props) => {
  const { photoKey, plan, registered, before, after, afterName, showsPhoto = false, caption } = props;
  const [share, setShare] = useState(50);
  const [isOnCanvas, setOnCanvas] = usePlace(photoKey, showsPhoto);
  useEffect(() => setShare(showsPhoto ? 100 : 50), [photoKey, showsPhoto]);
  const at = photoOnCanvas(plan, registered);
  const { scale, shift } = toShowWhole(at, plan.canvas, registered);
  const transform = isOnCanvas
    ? 'none'
    : `translate(${percent(shift.x)}, ${percent(shift.y)}) scale(${scale.x}, ${scale.y})`;
  const background = plan.background ?? '#ffffff';
  return (
    <figure class="compare-figure">
      <Sheet plan={plan} isMeasured={isOnCanvas && share < 100} isCentred={!isOnCanvas}>
        <div class={`compare ${isOnCanvas ? 'on-canvas' : 'in-photo'}`}>
          <div class="world" style={{ transform }}>
            <div
              class="before"
              style={{ left: percent(at.x), top: percent(at.y), width: percent(at.width), height: percent(at.height) }}
            >
              {before}
            </div>
          </div>
          {/* At the ends one picture is shown whole: no line, and no rounded pixel of the other. */}
          <div
            class={`compare-after ${background === 'transparent' ? 'chequered' : ''}`}
            hidden={share === 100}
            style={{
              ...(background === 'transparent' ? {} : { background, boxShadow: `0 0 0 1px ${background}` }),
              ...(share === 0 ? {} : { clipPath: `inset(-1px -1px -1px ${share}%)` }),
            }}
          >
            <div class="world" style={{ transform }}>
              {after}
            </div>
          </div>
          {share > 0 && <span class="compare-label left">Photo</span>}
          {share < 100 && <span class="compare-label right">{afterName}</span>}
          <div class={`compare-line ${share === 0 || share === 100 ? 'at-end' : ''}`} style={{ left: knobAt(share) }} />
          <input
            type="range"
            min="0"
            max="100"
            step="1"
            value={share}
            aria-label="Show before or after"
            aria-valuetext={`${share} % before`}
            onInput={(event) => setShare(Number(event.currentTarget.value))}
          />
        </div>
      </Sheet>
      <figcaption class="row between">
        <PlaceChoice isOnCanvas={isOnCanvas} onChange={setOnCanvas} />
        <span class="small muted">{caption}</span>
      </figcaption>
    </figure>
  );
};
