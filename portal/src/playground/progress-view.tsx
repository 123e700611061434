/** What happens to a photo, step by step: the bytes of a download, then what is being done. */
import { Icon } from '../components/icon.tsx';
import { megabytes } from '../format.ts';
import type { Progress } from './progress.ts';
import { type Step, steps } from './protocol.ts';

const texts: Record<Exclude<Step, 'passes'>, string> = {
  download: 'Load the model, once',
  compile: 'Prepare the model',
  read: 'Read the photo',
  edges: 'Refine the edge',
  findings: 'Look for problems',
};

const textOf = (step: Step, { pass }: Progress): string => {
  if (step === 'passes') return pass > 0 ? `Find the product, pass ${pass}` : 'Find the product';
  return texts[step];
};

const Download = ({ doneBytes, totalBytes }: Pick<Progress, 'doneBytes' | 'totalBytes'>) => {
  const share = totalBytes > 0 ? doneBytes / totalBytes : 0;
  return (
    <>
      <div
        class="progress"
        role="progressbar"
        aria-label="Download of the model"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(share * 100)}
      >
        <span style={{ transform: `scaleX(${share})` }} />
      </div>
      <span class="small muted num">
        {totalBytes > 0 ? `${megabytes(doneBytes)} of ${megabytes(totalBytes)}` : 'Asking for its size'}
      </span>
    </>
  );
};

export const ProgressView = ({ progress }: { progress: Progress }) => {
  const { step, doneBytes, totalBytes, fellBack } = progress;
  const now = steps.indexOf(step);
  return (
    <div class="preview-progress">
      {fellBack !== undefined && <p class="small muted">WebGPU did not work here; WebAssembly takes over.</p>}
      <ol class="steps-done" data-step={now}>
        {steps.map((each, at) => (
          <li key={each} class={at < now ? 'over' : at === now ? 'now' : 'later'}>
            <span class="preview-mark" aria-hidden="true">
              {at < now ? <Icon name="check" size={13} /> : at === now ? <span class="spinner" /> : <i />}
            </span>
            <div>
              {textOf(each, progress)}
              {at === now && each === 'download' && <Download {...{ doneBytes, totalBytes }} />}
            </div>
          </li>
        ))}
      </ol>
      {/* Not every byte is told: a screen reader hears of each step. */}
      <p class="visually-hidden" role="status">
        {textOf(step, progress)}
      </p>
    </div>
  );
};
