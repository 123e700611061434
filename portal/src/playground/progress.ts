/** How far a preview is. It only ever goes forward: what is told late, or again, changes nothing. Pure. */
import { type FromWorker, type Step, steps } from './protocol.ts';

export type Progress = {
  readonly step: Step;
  /** Of the download; both 0 before anything is known of it. */
  readonly doneBytes: number;
  readonly totalBytes: number;
  /** Runs of the model begun so far. */
  readonly pass: number;
  /** WebGPU failed, so another model is loaded: what it said. */
  readonly fellBack?: string | undefined;
};

type Told = Extract<FromWorker, { kind: 'progress' }>;

export const begun: Progress = { step: 'download', doneBytes: 0, totalBytes: 0, pass: 0 };

/** Begins anew: the other model is another download, which the page shows as another one. */
export const fallenBack = (why: string): Progress => ({ ...begun, fellBack: why });

export const advanced = (before: Progress, { step, doneBytes = 0, totalBytes = 0, pass = 0 }: Told): Progress => {
  if (steps.indexOf(step) < steps.indexOf(before.step)) return before;
  return {
    ...before,
    step,
    doneBytes: Math.max(before.doneBytes, doneBytes),
    totalBytes: Math.max(before.totalBytes, totalBytes),
    pass: Math.max(before.pass, pass),
  };
};
