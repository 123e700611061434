/** The photo, its tools and their keys. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Box, Size } from '../../../shared/imaging/raster.ts';
import { Notice } from '../components/notice.tsx';
import { megabytes } from '../format.ts';
import type { Editing } from './editing.ts';
import type { Shown } from './layers.ts';
import { touchUpLimits } from './limits.ts';
import { TouchStage } from './stage.tsx';
import {
  BeforeButton,
  BrushSize,
  ShownButtons,
  StepButtons,
  type Tool,
  ToolButtons,
  toolHints,
  tools,
  ZoomButtons,
} from './tools.tsx';
import type { Find, Finding } from './use-finder.ts';
import { fitted, type View, zoomed } from './view.ts';

const KEYS =
  'Keys: R, K, X and M choose the tool, arrows move the brush, with Shift further, Space or Enter paints while it is held, + and − zoom, 0 shows the whole photo, [ and ] change the brush, B held shows the photo as it was, Ctrl Z undoes.';

export const FindingNotice = ({ finding }: { finding: Finding }) => {
  if (finding.kind === 'idle') return null;
  if (finding.kind === 'failed') return <Notice tone="warn">{finding.detail} Paint what is to be kept.</Notice>;
  const { doneBytes, totalBytes } = finding.kind === 'loading' ? finding : { doneBytes: 0, totalBytes: 0 };
  const isLoading = totalBytes > 0 && doneBytes < totalBytes;
  return (
    <p class="touch-finding" role="status">
      <span class="spinner" aria-hidden="true" />
      <span>Finding the product in your browser…</span>
      {isLoading && (
        <span class="muted num" aria-hidden="true">
          model, once: {megabytes(doneBytes)} of {megabytes(totalBytes)}
        </span>
      )}
    </p>
  );
};

/** A box in shares of the photo, as the option `region` has it. */
const regionOf = ({ x, y, width, height }: Box, plane: Size) =>
  ({
    unit: 'share',
    x: x / plane.width,
    y: y / plane.height,
    width: width / plane.width,
    height: height / plane.height,
  }) as const;

type Props = { file: File; editing: Editing; version: number; finding: Finding; find: Find };

export const Editor = ({ file, editing, version, finding, find }: Props) => {
  const [tool, setTool] = useState<Tool>('remove');
  const [brushPx, setBrush] = useState<number>(touchUpLimits.brushPx);
  const [shown, setShown] = useState<Shown>('marked');
  const [isBefore, setBefore] = useState(false);
  const [view, setView] = useState<{ readonly view: View; readonly stage: Size }>();
  const [said, say] = useState('');
  const root = useRef<HTMLDivElement>(null);
  const { plane } = editing;

  const stageSize = (): Size => {
    const stage = root.current?.querySelector('canvas');
    return { width: stage?.clientWidth ?? 1, height: stage?.clientHeight ?? 1 };
  };
  const zoom = (factor: number): void => {
    const stage = stageSize();
    const centre = { x: stage.width / 2, y: stage.height / 2 };
    setView({ view: zoomed(view?.view ?? fitted(plane, stage), factor, centre, plane, stage), stage });
  };
  const undo = (): void => {
    if (editing.canUndo) say('Undone.');
    editing.undo();
  };
  const redo = (): void => {
    if (editing.canRedo) say('Done again.');
    editing.redo();
  };
  const lookIn = (box: Box): void => {
    say('Looking for the product in the box.');
    find(file, regionOf(box, plane), (found) => {
      if (!found.isFound) return say('No product was found in the box. Nothing has changed.');
      editing.replace(found.plane);
      say('Found. What lies outside the box is removed.');
    });
  };
  const chooseTool = (next: Tool): void => {
    setTool(next);
    say(toolHints[next]);
  };

  const pressed = (event: KeyboardEvent): void => {
    const key = event.key.toLowerCase();
    if (event.ctrlKey || event.metaKey) {
      if (key !== 'z' && key !== 'y') return;
      event.preventDefault();
      if (key === 'y' || event.shiftKey) redo();
      else undo();
      return;
    }
    if (event.altKey) return;
    const chosen = tools.find((one) => one.key.toLowerCase() === key);
    const { brushPxMin, brushPxMax, zoomStep } = touchUpLimits;
    if (chosen) chooseTool(chosen.tool);
    else if (key === 'b') setBefore(true);
    else if (key === '+' || key === '=') zoom(zoomStep);
    else if (key === '-' || key === '−') zoom(1 / zoomStep);
    else if (key === '0') setView(undefined);
    else if (key === '[') setBrush((px) => Math.max(brushPxMin, px - 4));
    else if (key === ']') setBrush((px) => Math.min(brushPxMax, px + 4));
    else return;
    event.preventDefault();
  };
  useEffect(() => setView(undefined), [editing]);
  // A key that is let go elsewhere is not heard of here.
  useEffect(() => {
    const letGo = (): void => setBefore(false);
    addEventListener('blur', letGo);
    return () => removeEventListener('blur', letGo);
  }, []);

  // A stage that has changed its size, as on a turned phone, shows the whole photo again.
  const size = stageSize();
  const isStale = view !== undefined && (view.stage.width !== size.width || view.stage.height !== size.height);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are shortcuts of the buttons inside.
    <div
      ref={root}
      class="touch-editor"
      onKeyDown={pressed}
      onKeyUp={({ key }) => key.toLowerCase() === 'b' && setBefore(false)}
    >
      <div class="touch-bar">
        <ToolButtons tool={tool} onTool={chooseTool} />
        <BrushSize brushPx={brushPx} onBrush={setBrush} />
      </div>
      <TouchStage
        editing={editing}
        version={version}
        tool={tool}
        brushPx={brushPx}
        shown={isBefore ? 'photo' : shown}
        view={isStale ? undefined : view?.view}
        onView={(next, stage) => setView({ view: next, stage })}
        onBox={lookIn}
      />
      <div class="touch-bar">
        <div class="row tight">
          <StepButtons canUndo={editing.canUndo} canRedo={editing.canRedo} onUndo={undo} onRedo={redo} />
          <ZoomButtons onZoom={zoom} onFit={() => setView(undefined)} />
        </div>
        <div class="row tight">
          <ShownButtons shown={shown} onShown={setShown} />
          <BeforeButton isHeld={isBefore} onHold={setBefore} />
        </div>
      </div>
      <p class="small muted touch-hint">{toolHints[tool]} What is striped goes.</p>
      <p id="touch-keys" class="visually-hidden">
        {KEYS}
      </p>
      <p class="visually-hidden" role="status">
        {said}
      </p>
      {editing.isFound || <Notice>No product was found in your browser: paint what is to be kept.</Notice>}
      <FindingNotice finding={finding} />
    </div>
  );
};
