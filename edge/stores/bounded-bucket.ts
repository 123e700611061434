/** R2 whose every call ends within `edgeLimits.objects.callMsMax`: with UnansweredError where R2 gave no answer. */
import type { Clock } from '../../shared/clock.ts';
import { edgeLimits } from '../limits.ts';
import { answerWithin } from './unanswered.ts';

type AnyMethod = (...args: unknown[]) => unknown;

/** The body of an object that is read comes at the pace of whoever reads it, and has no bound here. */
export const boundedBucket = (bucket: R2Bucket, clock: Pick<Clock, 'after'>): R2Bucket => bounded(bucket, clock);

const bounded = <T extends object>(target: T, clock: Pick<Clock, 'after'>): T =>
  new Proxy(target, {
    get: (_target, name) => {
      const found = Reflect.get(target, name) as unknown;
      if (typeof found !== 'function') return found;
      return (...args: unknown[]) => {
        const returned = (found as AnyMethod).apply(target, args);
        if (!(returned instanceof Promise)) return returned;
        const answer = answerWithin(returned, edgeLimits.objects.callMsMax, clock, `R2 ${String(name)}`);
        return name === 'createMultipartUpload' ? answer.then((upload) => bounded(upload as object, clock)) : answer;
      };
    },
  });
