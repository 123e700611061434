/** What a pipeline is given beside its photo, and the timing of its stages. */
import type { Clock } from '../../shared/clock.ts';
import type { Detectors } from './findings/gather.ts';
import type { Decode, DecodeMatte, Infer } from './main-image.ts';

export type PipelineDeps = {
  readonly decode: Decode;
  /** Needed for photos that come with a matte only. */
  readonly decodeMatte?: DecodeMatte;
  readonly infer: Infer;
  /** Of what is looked for beside the product. */
  readonly detectors?: Detectors;
  readonly clock: Pick<Clock, 'nowMs'>;
};

/** Runs a stage and adds its time to what it took before. */
export type Timed = <T>(stage: string, run: () => T | Promise<T>) => Promise<T>;

/** Times stages by the given clock. `infer` is counted within `matte` and once more by itself. */
export const stopwatch = ({ infer, clock }: Pick<PipelineDeps, 'infer' | 'clock'>) => {
  const stagesMs: Record<string, number> = {};
  const timed: Timed = async (stage, run) => {
    const startedAtMs = clock.nowMs();
    try {
      return await run();
    } finally {
      stagesMs[stage] = (stagesMs[stage] ?? 0) + clock.nowMs() - startedAtMs;
    }
  };
  const timedInfer: Infer = (image) => timed('infer', () => infer(image));
  return { timed, timedInfer, stagesMs };
};
