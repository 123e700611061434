/** The touch-up page's own parts: strokes on a matte, taking them back, zoom, and which photo comes next. */
import { describe, expect, it } from 'vitest';
import { partsOf } from '../../portal/src/batches/parts.ts';
import { touchUpLimits } from '../../portal/src/touch-up/limits.ts';
import { copyOf, createSteps, drawStroke, isEmpty } from '../../portal/src/touch-up/plane.ts';
import { canTouchUp, nextOf, queueOf } from '../../portal/src/touch-up/queue.ts';
import { fitted, moved, onPlane, onStage, zoomed } from '../../portal/src/touch-up/view.ts';
import type { Gray } from '../../shared/imaging/raster.ts';

const planeOf = (value: number, width = 80, height = 60): Gray => ({
  data: new Uint8Array(width * height).fill(value),
  width,
  height,
});
const frame = ({ width, height }: Gray) => ({ x: 0, y: 0, width, height });

describe('a stroke', () => {
  it('is full inside its radius, leaves all beyond it, and says where it changed anything', () => {
    const plane = planeOf(0);
    const box = drawStroke(plane, { x: 20, y: 30 }, { x: 60, y: 30 }, 5, 255);
    for (let y = 0; y < 60; y++)
      for (let x = 0; x < 80; x++) {
        const along = Math.min(60, Math.max(20, x + 0.5));
        const distance = Math.hypot(x + 0.5 - along, y + 0.5 - 30);
        const value = plane.data[y * 80 + x]!;
        if (distance <= 4.4) expect(value).toBe(255);
        if (distance >= 5.6) expect(value).toBe(0);
        const isInBox = x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height;
        if (value > 0) expect(isInBox).toBe(true);
      }
  });

  it('over the same place again changes nothing, and one that removes leaves no rest', () => {
    const plane = planeOf(0);
    drawStroke(plane, { x: 40, y: 30 }, { x: 40, y: 30 }, 8, 255);
    const once = copyOf(plane, frame(plane));
    drawStroke(plane, { x: 40, y: 30 }, { x: 40, y: 30 }, 8, 255);
    expect(plane.data).toEqual(once);
    drawStroke(plane, { x: 40, y: 30 }, { x: 40, y: 30 }, 10, 0);
    expect([isEmpty(plane), plane.data.every((alpha) => alpha === 0)]).toEqual([true, true]);
  });

  it('outside of the photo, or across its edge, changes what lies inside alone', () => {
    const plane = planeOf(255);
    expect(drawStroke(plane, { x: -50, y: -50 }, { x: -40, y: -50 }, 5, 0)).toMatchObject({ width: 0 });
    drawStroke(plane, { x: -5, y: 30 }, { x: 5, y: 30 }, 3, 0);
    expect([plane.data[30 * 80], plane.data[30 * 80 + 79]]).toEqual([0, 255]);
  });
});

describe('steps', () => {
  const drawn = (plane: Gray, steps: ReturnType<typeof createSteps>, x: number): void => {
    const before = { ...plane, data: plane.data.slice() };
    steps.add(before, drawStroke(plane, { x, y: 30 }, { x, y: 30 }, 6, 255));
  };

  it('are taken back and done again to the very same mattes; a new one ends what could be done again', () => {
    const [plane, steps] = [planeOf(0), createSteps()];
    const seen = [plane.data.slice()];
    for (const x of [10, 14, 40]) {
      drawn(plane, steps, x);
      seen.push(plane.data.slice());
    }
    for (const at of [2, 1, 0]) {
      steps.undo(plane);
      expect(plane.data).toEqual(seen[at]);
    }
    expect([steps.canUndo, steps.undo(plane)]).toEqual([false, undefined]);
    for (const at of [1, 2, 3]) {
      steps.redo(plane);
      expect(plane.data).toEqual(seen[at]);
    }
    steps.undo(plane);
    drawn(plane, steps, 70);
    expect(steps.canRedo).toBe(false);
  });

  it('are bounded in number and in memory, and the oldest go', () => {
    const [plane, steps] = [planeOf(0), createSteps()];
    for (let i = 0; i < touchUpLimits.stepsMax + 5; i++) drawn(plane, steps, 10 + (i % 60));
    let undone = 0;
    while (steps.undo(plane)) undone++;
    expect(undone).toBe(touchUpLimits.stepsMax);
    const large = planeOf(0, 4_096, 4_096);
    const whole = createSteps();
    for (let i = 0; i < 6; i++) whole.add(large, frame(large));
    let kept = 0;
    while (whole.undo(large)) kept++;
    expect(kept).toBe(touchUpLimits.stepsBytesMax / large.data.length);
  });
});

describe('the view', () => {
  const [plane, stage] = [
    { width: 2_000, height: 1_000 },
    { width: 600, height: 500 },
  ];

  it('zooms about the point under the pointer, and never below the whole photo', () => {
    const whole = fitted(plane, stage);
    const at = { x: 350, y: 260 };
    const close = zoomed(whole, 4, at, plane, stage);
    expect(onPlane(close, at).x).toBeCloseTo(onPlane(whole, at).x, 6);
    expect(onStage(close, onPlane(close, at)).y).toBeCloseTo(at.y, 6);
    expect(zoomed(close, 0.001, at, plane, stage)).toEqual(whole);
    expect(zoomed(whole, 1e6, at, plane, stage).scale).toBe(whole.scale * touchUpLimits.zoomMax);
  });

  it('keeps some of the photo in sight however far it is moved', () => {
    const close = zoomed(fitted(plane, stage), 5, { x: 300, y: 250 }, plane, stage);
    for (const [dx, dy] of [
      [1e6, 1e6],
      [-1e6, -1e6],
    ] as const) {
      const middle = onPlane(moved(close, dx, dy, plane, stage), { x: 300, y: 250 });
      expect(middle.x).toBeGreaterThanOrEqual(-1e-6);
      expect(middle.x).toBeLessThanOrEqual(plane.width + 1e-6);
      expect(middle.y).toBeGreaterThanOrEqual(-1e-6);
      expect(middle.y).toBeLessThanOrEqual(plane.height + 1e-6);
    }
  });
});

describe('the queue', () => {
  type Photo = { position: number; standing: string; photo: { error: { code: string } | null } | undefined };
  const photoOf = (position: number, standing: string): Photo => ({ position, standing, photo: undefined });
  const shown = (['ready', 'needs_a_look', 'failed', 'retake', 'needs_a_look', 'running'] as const).map((standing, i) =>
    photoOf(i, standing),
  );
  const positions = (asked?: number, over: readonly number[] = []) =>
    queueOf(shown, asked, new Set(over)).map(({ position }) => position);

  it('has what needs a look, the photo that was asked for by itself too, and nothing that is over', () => {
    expect(positions()).toEqual([1, 3, 4]);
    expect(positions(0)).toEqual([0, 1, 3, 4]);
    expect(positions(undefined, [3])).toEqual([1, 4]);
    expect(positions(5)).toEqual([1, 3, 4]);
  });

  it('goes on behind the photo, from the last one to the first, and ends', () => {
    const queue = queueOf(shown, undefined, new Set());
    expect([nextOf(queue, 1)?.position, nextOf(queue, 4)?.position]).toEqual([3, 1]);
    expect(nextOf([photoOf(1, 'retake')], 1)).toBeUndefined();
  });

  it('takes no photo that failed for another reason than a product that was not found', () => {
    expect(canTouchUp(photoOf(2, 'failed'))).toBe(false);
    const photo = { error: { code: 'no_product_found' } };
    expect(canTouchUp({ standing: 'failed', photo })).toBe(true);
  });
});

describe('an upload', () => {
  it('of a photo with a matte brings that one alone', () => {
    const file = { name: 'a.jpg', size: 1_000 } as File;
    const photos = [0, 1, 2, 3].map((position) => ({ position, file, matte: position === 1 ? new Blob() : undefined }));
    const parts = partsOf(photos, true).map((part) => part.photos.map(({ position }) => position));
    expect(parts).toEqual([[0], [1], [2, 3]]);
  });
});
