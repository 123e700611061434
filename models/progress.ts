/** Progress of fetching and preparing, on a terminal. */
import { SingleBar } from 'cli-progress';
import type { Progress } from './ensure.ts';

export type ProgressBar = { show: (progress: Progress) => void; stop: () => void };

/** A bar per step on stderr; without a terminal (`visible` false) it stays silent. */
export const progressBar = (visible: boolean): ProgressBar => {
  if (!visible) return { show: () => {}, stop: () => {} };
  let current: { key: string; bar: SingleBar } | undefined;
  const stop = () => {
    current?.bar.stop();
    current = undefined;
  };
  const show = ({ model, step, doneBytes, totalBytes }: Progress) => {
    const key = `${step} ${model}`;
    if (current?.key !== key) {
      stop();
      const bar = new SingleBar({ format: `${key} {bar} {percentage} % of {megabytes} MB`, hideCursor: true });
      bar.start(totalBytes, doneBytes, { megabytes: Math.round(totalBytes / 1e6) });
      current = { key, bar };
    }
    current.bar.update(doneBytes);
  };
  return { show, stop };
};
