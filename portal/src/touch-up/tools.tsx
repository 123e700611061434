/** What the pointer does, how large the brush is, what is shown, and the way back. */
import { Button } from '../components/button.tsx';
import { Icon } from '../components/icon.tsx';
import type { IconName } from '../components/icon-paths.ts';
import type { Shown } from './layers.ts';
import { touchUpLimits } from './limits.ts';

export type Tool = 'keep' | 'remove' | 'box' | 'move';

export const tools: readonly {
  readonly tool: Tool;
  readonly name: string;
  readonly icon: IconName;
  readonly key: string;
}[] = [
  { tool: 'remove', name: 'Remove', icon: 'eraser', key: 'R' },
  { tool: 'keep', name: 'Keep', icon: 'brush', key: 'K' },
  { tool: 'box', name: 'Box', icon: 'box', key: 'X' },
  { tool: 'move', name: 'Move', icon: 'hand', key: 'M' },
];
export const toolHints: Readonly<Record<Tool, string>> = {
  remove: 'Paint over what does not belong to the product.',
  keep: 'Paint over what is missing of the product.',
  box: 'Draw a box around the one product: it is looked for again, in there alone.',
  move: 'Drag the photo. With a mouse the wheel zooms, on a screen two fingers do.',
};

type ToolProps = { tool: Tool; onTool: (tool: Tool) => void };

export const ToolButtons = ({ tool: chosen, onTool }: ToolProps) => (
  <fieldset class="touch-tools">
    <legend class="visually-hidden">Tool</legend>
    {tools.map(({ tool, name, icon, key }) => (
      <button
        key={tool}
        type="button"
        aria-pressed={tool === chosen}
        aria-keyshortcuts={key}
        title={`${name} (${key})`}
        onClick={() => onTool(tool)}
      >
        <Icon name={icon} />
        {name}
      </button>
    ))}
  </fieldset>
);

type SizeProps = { brushPx: number; onBrush: (px: number) => void };

export const BrushSize = ({ brushPx, onBrush }: SizeProps) => (
  <label class="touch-size">
    <span class="small">Brush</span>
    <input
      type="range"
      aria-label="Size of the brush"
      min={touchUpLimits.brushPxMin}
      max={touchUpLimits.brushPxMax}
      value={brushPx}
      aria-valuetext={`${2 * brushPx} pixels across`}
      onInput={(event) => onBrush(event.currentTarget.valueAsNumber)}
    />
  </label>
);

type StepProps = { canUndo: boolean; canRedo: boolean; onUndo: () => void; onRedo: () => void };

export const StepButtons = ({ canUndo, canRedo, onUndo, onRedo }: StepProps) => (
  <div class="row tight">
    <Button compact aria-label="Undo" aria-disabled={!canUndo} onClick={() => canUndo && onUndo()}>
      <Icon name="undo" size={14} />
    </Button>
    <Button compact aria-label="Redo" aria-disabled={!canRedo} onClick={() => canRedo && onRedo()}>
      <Icon name="redo" size={14} />
    </Button>
  </div>
);

type ZoomProps = { onZoom: (factor: number) => void; onFit: () => void };

export const ZoomButtons = ({ onZoom, onFit }: ZoomProps) => (
  <div class="row tight">
    <Button compact aria-label="Zoom out" onClick={() => onZoom(1 / touchUpLimits.zoomStep)}>
      <Icon name="minus" size={14} />
    </Button>
    <Button compact onClick={onFit}>
      Fit
    </Button>
    <Button compact aria-label="Zoom in" onClick={() => onZoom(touchUpLimits.zoomStep)}>
      <Icon name="plus" size={14} />
    </Button>
  </div>
);

type ShownProps = { shown: Shown; onShown: (shown: Shown) => void };

/** Before, for as long as it is held. */
export const ShownButtons = ({ shown, onShown }: ShownProps) => (
  <div class="row tight">
    <Button compact aria-pressed={shown === 'white'} onClick={() => onShown(shown === 'white' ? 'marked' : 'white')}>
      On white
    </Button>
  </div>
);

type HoldProps = { isHeld: boolean; onHold: (isHeld: boolean) => void };

export const BeforeButton = ({ isHeld, onHold }: HoldProps) => (
  <button
    type="button"
    class="button compact"
    aria-pressed={isHeld}
    aria-keyshortcuts="B"
    title="Hold to see the photo as it was (B)"
    onPointerDown={(event) => {
      event.currentTarget.setPointerCapture(event.pointerId);
      onHold(true);
    }}
    onPointerUp={() => onHold(false)}
    onPointerCancel={() => onHold(false)}
    onKeyDown={(event) => (event.key === ' ' || event.key === 'Enter') && onHold(true)}
    onKeyUp={() => onHold(false)}
    onBlur={() => onHold(false)}
    onContextMenu={(event) => event.preventDefault()}
  >
    Hold: before
  </button>
);
