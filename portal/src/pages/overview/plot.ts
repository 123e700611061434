/** The drawing area of the usage chart. */
import { useEffect, useState } from 'preact/hooks';

/** User units equal CSS pixels about, so that the axis stays readable on a phone. */
export type Plot = { readonly width: number; readonly height: number; readonly labels: number };
const WIDE: Plot = { width: 960, height: 190, labels: 6 };
const NARROW: Plot = { width: 300, height: 170, labels: 3 };
const NARROW_MEDIA = '(max-width: 600px)';
/** Margins of the bars. */
export const LEFT = 40;
export const BOTTOM = 24;
export const TOP = 10;

export const usePlot = (): Plot => {
  const [narrow, setNarrow] = useState(() => matchMedia(NARROW_MEDIA).matches);
  useEffect(() => {
    const media = matchMedia(NARROW_MEDIA);
    const change = (): void => setNarrow(media.matches);
    media.addEventListener('change', change);
    return () => media.removeEventListener('change', change);
  }, []);
  return narrow ? NARROW : WIDE;
};
