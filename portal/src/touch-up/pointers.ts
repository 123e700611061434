/** Mouse, pen and fingers on the photo: one paints, draws a box or moves the photo; two fingers zoom and move it. */
import type { Box, Size } from '../../../shared/imaging/raster.ts';
import type { Editing } from './editing.ts';
import type { Point } from './plane.ts';
import type { Tool } from './tools.tsx';
import { moved, onPlane, type View, zoomed } from './view.ts';

export type Hand = {
  readonly tool: Tool;
  /** px of the screen. */
  readonly brushPx: number;
  readonly view: View;
  readonly stage: Size;
  readonly editing: Editing;
};
export type Told = {
  onView(view: View): void;
  onFrame(frame: Box | undefined): void;
  /** A box was drawn. */
  onBox(box: Box): void;
};

/** A drag below this was a tap, px of the screen. */
const DRAG_PX_MIN = 6;
const MIDDLE = 1;

const between = (a: Point, b: Point): Box => ({
  x: Math.min(a.x, b.x),
  y: Math.min(a.y, b.y),
  width: Math.abs(a.x - b.x),
  height: Math.abs(a.y - b.y),
});
export const boxIn = ({ width, height }: Size, a: Point, b: Point): Box => {
  const within = ({ x, y }: Point): Point => ({
    x: Math.min(width, Math.max(0, x)),
    y: Math.min(height, Math.max(0, y)),
  });
  return between(within(a), within(b));
};
const middle = (a: Point, b: Point): Point => ({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 });

/** `hand` as it is when something happens. Positions in px of the stage. */
export const createPointers = (hand: () => Hand | undefined, { onView, onFrame, onBox }: Told) => {
  const down = new Map<number, Point>();
  let doing: { readonly kind: 'paint' | 'move' } | { readonly kind: 'box'; readonly from: Point } | undefined;

  const stop = ({ editing }: Hand): void => {
    if (doing?.kind === 'paint') editing.cancel();
    onFrame(undefined);
    doing = undefined;
  };
  const pinched = (id: number, to: Point, { view, editing: { plane }, stage }: Hand): void => {
    const [other] = Array.from(down)
      .filter(([one]) => one !== id)
      .map(([, at]) => at);
    const from = down.get(id);
    if (!other || !from) return;
    const spread = (at: Point): number => Math.max(1, Math.hypot(at.x - other.x, at.y - other.y));
    const [before, after] = [middle(from, other), middle(to, other)];
    onView(
      moved(
        zoomed(view, spread(to) / spread(from), before, plane, stage),
        after.x - before.x,
        after.y - before.y,
        plane,
        stage,
      ),
    );
  };
  return {
    down(id: number, at: Point, button: number): void {
      const now = hand();
      if (!now) return;
      down.set(id, at);
      if (down.size > 1) {
        stop(now);
        return;
      }
      const { tool, view, brushPx, editing } = now;
      if (tool === 'move' || button === MIDDLE) doing = { kind: 'move' };
      else if (tool === 'box') doing = { kind: 'box', from: at };
      else if (button === 0) {
        doing = { kind: 'paint' };
        editing.begin(tool, onPlane(view, at), brushPx / view.scale);
      }
    },
    move(id: number, to: Point): void {
      const now = hand();
      const from = down.get(id);
      if (!now || !from) return;
      const { view, stage, editing, brushPx } = now;
      if (down.size === 2) pinched(id, to, now);
      else if (doing?.kind === 'paint') editing.draw(onPlane(view, to), brushPx / view.scale);
      else if (doing?.kind === 'move') onView(moved(view, to.x - from.x, to.y - from.y, editing.plane, stage));
      else if (doing?.kind === 'box') onFrame(boxIn(editing.plane, onPlane(view, doing.from), onPlane(view, to)));
      down.set(id, to);
    },
    up(id: number, at: Point, isCancelled: boolean): void {
      const now = hand();
      if (!down.delete(id) || !now) return;
      if (isCancelled) {
        stop(now);
        return;
      }
      const { editing, view } = now;
      if (doing?.kind === 'paint') editing.end();
      if (doing?.kind === 'box') {
        const isTap = Math.hypot(at.x - doing.from.x, at.y - doing.from.y) < DRAG_PX_MIN;
        const box = boxIn(editing.plane, onPlane(view, doing.from), onPlane(view, at));
        onFrame(undefined);
        if (!isTap && box.width >= 1 && box.height >= 1) onBox(box);
      }
      doing = undefined;
    },
  };
};
