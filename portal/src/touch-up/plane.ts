/** The matte that is edited: strokes and boxes on it, and taking them back. Pure. */
import { type Box, clamp, type Gray } from '../../../shared/imaging/raster.ts';
import { touchUpLimits } from './limits.ts';

export type Point = { readonly x: number; readonly y: number };
/** What a step changed: the box, and the samples that were in it. */
type Patch = { readonly box: Box; readonly before: Uint8Array };

const inside = (left: number, top: number, right: number, bottom: number, { width, height }: Gray): Box => {
  const x = clamp(Math.floor(left), 0, width);
  const y = clamp(Math.floor(top), 0, height);
  return {
    x,
    y,
    width: Math.max(0, clamp(Math.ceil(right), 0, width) - x),
    height: Math.max(0, clamp(Math.ceil(bottom), 0, height) - y),
  };
};

/** Where a stroke of that radius can change anything. */
const strokeBox = (plane: Gray, from: Point, to: Point, radius: number): Box =>
  inside(
    Math.min(from.x, to.x) - radius - 1,
    Math.min(from.y, to.y) - radius - 1,
    Math.max(from.x, to.x) + radius + 1,
    Math.max(from.y, to.y) + radius + 1,
    plane,
  );

/** A round stroke with an edge of one sample, in place: `value` is 255 to keep and 0 to remove. Answers what it changed. */
export const drawStroke = (plane: Gray, from: Point, to: Point, radius: number, value: 0 | 255): Box => {
  const box = strokeBox(plane, from, to, radius);
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const lengthSquared = dx * dx + dy * dy;
  for (let y = box.y; y < box.y + box.height; y++) {
    for (let x = box.x, at = y * plane.width + box.x; x < box.x + box.width; x++, at++) {
      const [px, py] = [x + 0.5 - from.x, y + 0.5 - from.y];
      const along = lengthSquared === 0 ? 0 : clamp((px * dx + py * dy) / lengthSquared, 0, 1);
      const cover = clamp(radius + 0.5 - Math.hypot(px - along * dx, py - along * dy), 0, 1);
      if (cover === 0) continue;
      const covered = Math.round(255 * cover);
      // The larger of both to keep, the lesser to remove: a second stroke over the same place changes nothing.
      plane.data[at] = value === 255 ? Math.max(plane.data[at]!, covered) : Math.min(plane.data[at]!, 255 - covered);
    }
  }
  return box;
};

export const copyOf = (plane: Gray, box: Box): Uint8Array => {
  const part = new Uint8Array(box.width * box.height);
  for (let y = 0; y < box.height; y++) {
    const from = (y + box.y) * plane.width + box.x;
    part.set(plane.data.subarray(from, from + box.width), y * box.width);
  }
  return part;
};

const paste = (plane: Gray, box: Box, part: Uint8Array): void => {
  for (let y = 0; y < box.height; y++)
    plane.data.set(part.subarray(y * box.width, (y + 1) * box.width), (y + box.y) * plane.width + box.x);
};

export const unionBox = (a: Box | undefined, b: Box): Box => {
  if (!a || a.width * a.height === 0) return b;
  if (b.width * b.height === 0) return a;
  const [x, y] = [Math.min(a.x, b.x), Math.min(a.y, b.y)];
  return {
    x,
    y,
    width: Math.max(a.x + a.width, b.x + b.width) - x,
    height: Math.max(a.y + a.height, b.y + b.height) - y,
  };
};

export type Steps = {
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  /** A step is done: the plane as it was before, and where it changed. What was undone is forgotten. */
  add(before: Gray, box: Box): void;
  /** Takes the last step back, or does it again, in place. Answers what changed. */
  undo(plane: Gray): Box | undefined;
  redo(plane: Gray): Box | undefined;
};

/** The oldest steps go where there are too many, or too large ones. */
export const createSteps = (): Steps => {
  let done: Patch[] = [];
  let undone: Patch[] = [];
  const swap = (plane: Gray, { box, before }: Patch): Patch => {
    const now = copyOf(plane, box);
    paste(plane, box, before);
    return { box, before: now };
  };
  const bounded = (patches: readonly Patch[]): Patch[] => {
    const kept = patches.slice(-touchUpLimits.stepsMax);
    let bytes = kept.reduce((sum, { before }) => sum + before.length, 0);
    while (kept.length > 1 && bytes > touchUpLimits.stepsBytesMax) bytes -= kept.shift()?.before.length ?? 0;
    return kept;
  };
  return {
    get canUndo() {
      return done.length > 0;
    },
    get canRedo() {
      return undone.length > 0;
    },
    add(before, box) {
      if (box.width * box.height === 0) return;
      done = bounded([...done, { box, before: copyOf(before, box) }]);
      undone = [];
    },
    undo(plane) {
      const last = done.pop();
      if (!last) return undefined;
      undone.push(swap(plane, last));
      return last.box;
    },
    redo(plane) {
      const last = undone.pop();
      if (!last) return undefined;
      done.push(swap(plane, last));
      return last.box;
    },
  };
};

/** Nothing is kept: no file can be made of it. */
export const isEmpty = ({ data }: Gray): boolean => data.every((alpha) => alpha < 128);
