/** One photo being edited: its matte, its steps, what is drawn of it. Changed in place; `changed` is told after each change. */
import type { Box, Gray, Size } from '../../../shared/imaging/raster.ts';
import { type Draft, keepDraft } from './drafts.ts';
import { createLayers, type Layers, updateMask } from './layers.ts';
import { copyOf, createSteps, drawStroke, isEmpty, type Point, unionBox } from './plane.ts';
import type { FoundMatte } from './protocol.ts';

type Brush = 'keep' | 'remove';

/** A stroke under way: a whole copy of the plane before it, and where it has changed. */
type Stroke = { readonly before: Gray; readonly value: 0 | 255; last: Point; box: Box | undefined };

export type Editing = {
  readonly photo: Size;
  readonly plane: Gray;
  readonly layers: Layers;
  /** False where no product was found. */
  readonly isFound: boolean;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  /** All that was there is removed, or nothing was found and nothing painted yet. */
  readonly isEmpty: () => boolean;
  /** Radius in samples of the plane. */
  begin(brush: Brush, at: Point, radius: number): void;
  draw(to: Point, radius: number): void;
  /** The stroke is one step. */
  end(): void;
  /** As if the stroke had not been begun. */
  cancel(): void;
  /** Another matte in place of this one, as a step. */
  replace(found: Gray): void;
  undo(): void;
  redo(): void;
};

/** Of a photo that was edited before, as it was left. Throws where the browser cannot show the file. */
export const editingOf = async (file: Blob, found: FoundMatte | Draft, changed: () => void): Promise<Editing> => {
  const { plane, photo, isFound } = found;
  const steps = 'steps' in found ? found.steps : createSteps();
  const layers = await createLayers(file, plane);
  let stroke: Stroke | undefined;
  const shown = (box: Box | undefined): void => {
    if (box) updateMask(layers, plane, box);
    changed();
  };
  const whole: Box = { x: 0, y: 0, width: plane.width, height: plane.height };
  const ended = (): Stroke | undefined => {
    const last = stroke;
    stroke = undefined;
    return last;
  };
  const draw = (to: Point, radius: number): void => {
    if (!stroke) return;
    const box = drawStroke(plane, stroke.last, to, radius, stroke.value);
    stroke.last = to;
    stroke.box = unionBox(stroke.box, box);
    shown(box);
  };
  const end = (): void => {
    const last = ended();
    if (last?.box) steps.add(last.before, last.box);
  };
  keepDraft(file, { plane, steps, photo, isFound });
  return {
    photo,
    plane,
    layers,
    isFound,
    get canUndo() {
      return steps.canUndo;
    },
    get canRedo() {
      return steps.canRedo;
    },
    isEmpty: () => isEmpty(plane),
    begin(brush, at, radius) {
      stroke = {
        before: { ...plane, data: plane.data.slice() },
        value: brush === 'keep' ? 255 : 0,
        last: at,
        box: undefined,
      };
      draw(at, radius);
    },
    draw,
    end() {
      end();
      changed();
    },
    cancel() {
      const last = ended();
      if (!last?.box) return;
      plane.data.set(last.before.data);
      shown(last.box);
    },
    // A stroke that is held is one step by then.
    replace(other) {
      end();
      steps.add({ ...plane, data: copyOf(plane, whole) }, whole);
      plane.data.set(other.data);
      shown(whole);
    },
    undo() {
      end();
      shown(steps.undo(plane));
    },
    redo() {
      end();
      shown(steps.redo(plane));
    },
  };
};
