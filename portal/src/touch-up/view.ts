/** How the photo lies on the screen: zoom and place. Pure. */
import { clamp, type Size } from '../../../shared/imaging/raster.ts';
import { touchUpLimits } from './limits.ts';
import type { Point } from './plane.ts';

/** `scale`: CSS px for a sample of the plane; `x`, `y`: where its upper left corner is, CSS px. */
export type View = { readonly scale: number; readonly x: number; readonly y: number };

const MARGIN_PX = 12;

/** All of it, in the middle. */
export const fitted = (plane: Size, stage: Size): View => {
  const scale = Math.min(
    Math.max(1, stage.width - 2 * MARGIN_PX) / plane.width,
    Math.max(1, stage.height - 2 * MARGIN_PX) / plane.height,
  );
  return { scale, x: (stage.width - plane.width * scale) / 2, y: (stage.height - plane.height * scale) / 2 };
};

/** Some of the photo stays in sight. */
const kept = ({ scale, x, y }: View, plane: Size, stage: Size): View => ({
  scale,
  x: clamp(x, stage.width / 2 - plane.width * scale, stage.width / 2),
  y: clamp(y, stage.height / 2 - plane.height * scale, stage.height / 2),
});

/** The point of the photo under `at` stays there. Never smaller than the whole photo. */
export const zoomed = (view: View, factor: number, at: Point, plane: Size, stage: Size): View => {
  const whole = fitted(plane, stage);
  const scale = clamp(view.scale * factor, whole.scale, whole.scale * touchUpLimits.zoomMax);
  if (scale === whole.scale) return whole;
  const ratio = scale / view.scale;
  return kept({ scale, x: at.x - (at.x - view.x) * ratio, y: at.y - (at.y - view.y) * ratio }, plane, stage);
};

export const moved = (view: View, dx: number, dy: number, plane: Size, stage: Size): View =>
  kept({ ...view, x: view.x + dx, y: view.y + dy }, plane, stage);

/** A point of the stage in samples of the plane; may lie outside. */
export const onPlane = ({ scale, x, y }: View, at: Point): Point => ({ x: (at.x - x) / scale, y: (at.y - y) / scale });
export const onStage = ({ scale, x, y }: View, at: Point): Point => ({ x: at.x * scale + x, y: at.y * scale + y });
