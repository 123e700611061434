/** The photo with its matte over it, painted on with mouse, fingers or keys. */
import { useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks';
import type { Box, Size } from '../../../shared/imaging/raster.ts';
import type { Editing } from './editing.ts';
import { paint, type Shown } from './layers.ts';
import { touchUpLimits } from './limits.ts';
import type { Point } from './plane.ts';
import { boxIn, createPointers, type Hand } from './pointers.ts';
import type { Tool } from './tools.tsx';
import { fitted, moved, onPlane, type View, zoomed } from './view.ts';

type Props = {
  editing: Editing;
  /** Another one after each change. */
  version: number;
  tool: Tool;
  brushPx: number;
  shown: Shown;
  view: View | undefined;
  onView: (view: View, stage: Size) => void;
  onBox: (box: Box) => void;
};

const arrows: Readonly<Record<string, Point>> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
};

const sizeOf = (element: HTMLElement): Size => ({ width: element.clientWidth, height: element.clientHeight });

export const TouchStage = (props: Props) => {
  const { editing, version, tool, brushPx, shown, view: given, onView, onBox } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const [stage, setStage] = useState<Size>();
  const [cursor, setCursor] = useState<Point>();
  const [frame, setFrame] = useState<Box>();
  /** By keys: a stroke is under way, or a box has its first corner. */
  const held = useRef<{ isPainting: boolean; corner: Point | undefined }>({ isPainting: false, corner: undefined });
  const [, render] = useReducer((n: number) => n + 1, 0);
  const view = stage && (given ?? fitted(editing.plane, stage));
  const hand = useRef<Hand | undefined>(undefined);
  hand.current = stage && view ? { tool, brushPx, view, stage, editing } : undefined;
  const told = useRef({ onView, onBox });
  told.current = { onView, onBox };
  const pointers = useMemo(
    () =>
      createPointers(() => hand.current, {
        onView: (next) => hand.current && told.current.onView(next, hand.current.stage),
        onFrame: setFrame,
        onBox: (box) => told.current.onBox(box),
      }),
    [editing],
  );

  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const measure = (): void => setStage(sizeOf(element));
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    // A listener of the framework's would be passive, and the page would scroll beside.
    const wheel = (event: WheelEvent): void => {
      const now = hand.current;
      if (!now) return;
      event.preventDefault();
      const at = { x: event.offsetX, y: event.offsetY };
      const factor = touchUpLimits.zoomStep ** (-event.deltaY / 120);
      told.current.onView(zoomed(now.view, factor, at, now.editing.plane, now.stage), now.stage);
    };
    element.addEventListener('wheel', wheel, { passive: false });
    return () => {
      observer.disconnect();
      element.removeEventListener('wheel', wheel);
    };
  }, []);

  const isBrush = tool === 'keep' || tool === 'remove';
  useLayoutEffect(() => {
    const element = canvas.current;
    if (!element || !stage || !view) return;
    const draw = requestAnimationFrame(() => {
      const ratio = devicePixelRatio;
      const [width, height] = [Math.round(stage.width * ratio), Math.round(stage.height * ratio)];
      if (element.width !== width || element.height !== height) Object.assign(element, { width, height });
      const over = cursor && { ...cursor, radius: isBrush ? brushPx : 5 };
      paint(element, editing.layers, view, shown, ratio, { cursor: tool === 'move' ? undefined : over, frame });
    });
    return () => cancelAnimationFrame(draw);
  }, [editing, version, stage, view, shown, cursor, brushPx, tool, frame]);

  const at = ({ clientX, clientY }: PointerEvent): Point => {
    const { left, top } = canvas.current?.getBoundingClientRect() ?? { left: 0, top: 0 };
    return { x: clientX - left, y: clientY - top };
  };
  const keyMoved = (now: Hand, step: Point, isLarge: boolean): void => {
    const { keyStepPx, keyStepLargePx } = touchUpLimits;
    const px = isLarge ? keyStepLargePx : keyStepPx;
    if (tool === 'move') {
      onView(moved(now.view, -step.x * px, -step.y * px, editing.plane, now.stage), now.stage);
      return;
    }
    const from = cursor ?? { x: now.stage.width / 2, y: now.stage.height / 2 };
    const to = {
      x: Math.min(now.stage.width, Math.max(0, from.x + step.x * px)),
      y: Math.min(now.stage.height, Math.max(0, from.y + step.y * px)),
    };
    setCursor(to);
    if (held.current.isPainting) editing.draw(onPlane(now.view, to), brushPx / now.view.scale);
    if (held.current.corner) setFrame(boxIn(editing.plane, held.current.corner, onPlane(now.view, to)));
  };
  const keyPressed = (now: Hand): void => {
    const place = cursor ?? { x: now.stage.width / 2, y: now.stage.height / 2 };
    setCursor(place);
    const point = onPlane(now.view, place);
    if (isBrush && !held.current.isPainting) {
      held.current.isPainting = true;
      editing.begin(tool, point, brushPx / now.view.scale);
    } else if (tool === 'box') {
      const { corner } = held.current;
      held.current.corner = corner ? undefined : point;
      setFrame(undefined);
      const box = corner && boxIn(editing.plane, corner, point);
      if (box && box.width >= 1 && box.height >= 1) onBox(box);
    }
  };
  const keyDown = (event: KeyboardEvent): void => {
    const now = hand.current;
    const step = arrows[event.key];
    const isPress = event.key === ' ' || event.key === 'Enter';
    if (!now || event.ctrlKey || event.metaKey || !(step || isPress)) return;
    event.preventDefault();
    if (step) keyMoved(now, step, event.shiftKey);
    else if (!event.repeat) keyPressed(now);
    render(undefined);
  };
  const stopPainting = (): void => {
    if (held.current.isPainting) editing.end();
    held.current.isPainting = false;
  };
  const keyUp = ({ key }: KeyboardEvent): void => {
    if (key === ' ' || key === 'Enter') stopPainting();
  };

  return (
    // biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: it takes arrows and letters as its own keys.
    <canvas
      ref={canvas}
      class="touch-stage"
      data-tool={tool}
      tabIndex={0}
      role="application"
      aria-label="Photo and cut-out"
      aria-describedby="touch-keys"
      onKeyDown={keyDown}
      onKeyUp={keyUp}
      onBlur={stopPainting}
      onPointerDown={(event) => {
        if (event.button === 1) event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
        pointers.down(event.pointerId, at(event), event.button);
      }}
      onPointerMove={(event) => {
        const all = event.getCoalescedEvents?.() ?? [];
        for (const one of all.length > 0 ? all : [event]) pointers.move(event.pointerId, at(one));
        setCursor(event.pointerType === 'touch' ? undefined : at(event));
      }}
      onPointerUp={(event) => pointers.up(event.pointerId, at(event), false)}
      onPointerCancel={(event) => pointers.up(event.pointerId, at(event), true)}
      onPointerLeave={() => setCursor(undefined)}
    />
  );
};
