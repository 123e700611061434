/** The photo, the progress of the preview, and in the end before and after. */
import type { PublicFinding } from '../../../shared/check-api.ts';
import type { Size } from '../../../shared/imaging/raster.ts';
import { Icon } from '../components/icon.tsx';
import { megabytes } from '../format.ts';
import { BitmapView, Compare } from './compare.tsx';
import { FindingMarks } from './finding-marks.tsx';
import { ownPath, type RunOutcome } from './run.ts';
import type { PreviewState } from './use-preview.ts';

type Running = Extract<PreviewState, { kind: 'running' }>;

const progressText = ({ step, doneBytes, totalBytes }: Running): string => {
  if (step === 'compile') return 'Preparing the model';
  if (step === 'work') return 'Cutting out the product';
  return totalBytes > 0
    ? `Loading the model (only once): ${megabytes(doneBytes)} of ${megabytes(totalBytes)}`
    : 'Loading the model';
};

/** How far a download is; how far the rest is nobody knows, so the bar then only moves. */
const Progress = ({ state }: { state: Running }) => {
  const share = state.step === 'download' && state.totalBytes > 0 ? state.doneBytes / state.totalBytes : undefined;
  const now = share === undefined ? {} : { 'aria-valuenow': Math.round(share * 100) };
  return (
    <div class="running" role="status">
      <span class="spinner" aria-hidden="true" />
      <p>{progressText(state)}</p>
      <div
        class={`progress ${share === undefined ? 'moving' : ''}`}
        role="progressbar"
        aria-label="Preview"
        aria-valuemin={0}
        aria-valuemax={100}
        {...now}
      >
        <span style={share === undefined ? {} : { transform: `scaleX(${share})` }} />
      </div>
    </div>
  );
};

type Props = {
  state: PreviewState;
  run: Extract<RunOutcome, { ok: true }> | undefined;
  photoUrl: string;
  /** Undefined for a photo that browsers do not show. */
  photoSize: Size | undefined;
  findings: readonly PublicFinding[];
  /** Those of a check that nothing has followed yet. */
  checked: readonly PublicFinding[];
};

export const Stage = ({ state, run, photoUrl, photoSize, findings, checked }: Props) => {
  const marks = (squared: boolean) =>
    photoSize && findings.length > 0 && <FindingMarks findings={findings} photo={photoSize} squared={squared} />;
  if (state.kind === 'done') {
    const before = (
      <>
        <BitmapView class="before" bitmap={state.preview.before} label="Before: the photo" />
        {marks(true)}
      </>
    );
    return run ? (
      <Compare
        before={before}
        after={<img src={ownPath(run.result.clean_url)} alt="After: result of the API" />}
        afterName="API result"
        checked={checked}
      />
    ) : (
      <Compare
        before={before}
        after={<BitmapView bitmap={state.preview.after} label="After: the preview" />}
        afterName="Preview"
        checked={checked}
      />
    );
  }
  return (
    <div class="compare waiting">
      {photoSize ? <img src={photoUrl} alt="Before" class="before" /> : <Icon name="image" size={32} />}
      {run ? <img src={ownPath(run.result.clean_url)} alt="Result of the API" /> : marks(false)}
      {state.kind === 'running' && !run && <Progress state={state} />}
    </div>
  );
};
