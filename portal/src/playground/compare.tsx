/**
 * Before and after under one slider. The slider is a real range input: keyboard and screen reader work by themselves.
 */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { PublicFinding } from '../../../shared/check-api.ts';

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
  useEffect(() => {
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

export const Compare = ({
  before,
  after,
  afterName,
  checked,
}: {
  before: ComponentChildren;
  after: ComponentChildren;
  afterName: string;
  /** What a check has found: the photo is shown whole then, with its marks; anything else shows both halves. */
  checked: readonly PublicFinding[];
}) => {
  const [share, setShare] = useState(50);
  useEffect(() => {
    setShare(checked.some(({ box }) => box !== null) ? 100 : 50);
  }, [checked]);
  return (
    <div class="compare">
      {before}
      {/* At the ends one picture is shown whole: no line, and no rounded pixel of the other. */}
      <div
        class="compare-after"
        hidden={share === 100}
        style={share === 0 ? {} : { clipPath: `inset(0 0 0 ${share}%)` }}
      >
        {after}
      </div>
      {share > 0 && <span class="compare-label left">Before</span>}
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
  );
};
