/**
 * Step 4, who may work when: a bounded queue in front of a fixed number of slots. Interactive requests go before batch
 * ones, and within each priority accounts take turns, so that one account's thousand images do not stand before
 * another's one. Where the queue is full, the account with the most requests in it makes room for one that has fewer: no
 * account can fill a node against the others. A request that was withdrawn leaves at once. Pure but for its clock.
 */
import type { Clock } from '../../shared/clock.ts';
import { type Failure, failure } from '../../shared/errors.ts';
import type { Priority } from '../../shared/job.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import { originLimits } from '../limits.ts';
import { type CompletionRate, createCompletionRate } from './completion-rate.ts';

/** Withdrawn by aborting `signal`. */
type AdmissionRequest = {
  readonly accountId: string;
  readonly priority: Priority;
  readonly signal: AbortSignal;
};
/** The right to work in one slot. `release` must be called once. */
export type Permit = { release(): void };
/** Displaced: it was queued, and another account's request was given its place. */
type Admitted = Permit | 'withdrawn' | 'displaced';
export type Admission = {
  /** Fails with `origin_busy` and the seconds after which the jobs ahead are done. */
  admit(request: AdmissionRequest): Result<Promise<Admitted>, Failure>;
  /** The refusal of `admit`, for a request that was displaced. */
  busy(): Failure;
  queued(priority: Priority): number;
  running(): number;
};
export type AdmissionOptions = {
  readonly slots: number;
  readonly queueMax: number;
  readonly clock: Pick<Clock, 'nowMs'>;
};

type Queued = { readonly request: AdmissionRequest; readonly resolve: (admitted: Admitted) => void };
/** Accounts in the order in which they are served next; Map keeps it. */
type Lane = Map<string, Queued[]>;

const { batchQueueShare } = originLimits.jobs;

export const createAdmission = ({ slots, queueMax, clock }: AdmissionOptions): Admission => {
  const rate: CompletionRate = createCompletionRate(clock);
  const queue = createQueue();
  let running = 0;

  const takeSlot = (): Permit => {
    running++;
    let released = false;
    return {
      release: () => {
        if (released) throw new Error('a permit was released twice');
        released = true;
        running--;
        rate.completed(running > 0 || queue.size() > 0);
        queue.takeNext()?.resolve(takeSlot());
      },
    };
  };
  const isFull = (priority: Priority): boolean =>
    queue.size() >= queueMax || (priority === 'batch' && queue.queued('batch') >= queueMax * batchQueueShare);
  const busy = (): Failure => failure('origin_busy', undefined, { retryAfterSeconds: rate.secondsFor(queue.size()) });

  return {
    admit: (request) => {
      if (request.signal.aborted) return ok(Promise.resolve('withdrawn'));
      if (running < slots) return ok(Promise.resolve(takeSlot()));
      if (isFull(request.priority) && !queue.displaceFor(request)) return fail(busy());
      return ok(queue.wait(request));
    },
    busy,
    queued: queue.queued,
    running: () => running,
  };
};

const createQueue = () => {
  const lanes: Record<Priority, Lane> = { interactive: new Map(), batch: new Map() };
  const sizes: Record<Priority, number> = { interactive: 0, batch: 0 };

  const add = (entry: Queued): void => {
    const { accountId, priority } = entry.request;
    lanes[priority].set(accountId, [...(lanes[priority].get(accountId) ?? []), entry]);
    sizes[priority]++;
  };
  const remove = (entry: Queued): void => {
    const { accountId, priority } = entry.request;
    const left = lanes[priority].get(accountId)?.filter((other) => other !== entry) ?? [];
    if (left.length > 0) lanes[priority].set(accountId, left);
    else lanes[priority].delete(accountId);
    sizes[priority]--;
  };

  return {
    size: () => sizes.interactive + sizes.batch,
    queued: (priority: Priority) => sizes[priority],

    /** The next of the lane's first account; the account then goes to the end of the lane. */
    takeNext: (): Queued | undefined => {
      const priority = sizes.interactive > 0 ? 'interactive' : 'batch';
      const [first] = lanes[priority];
      if (!first) return undefined;
      const [accountId, [next, ...rest]] = first;
      lanes[priority].delete(accountId);
      if (rest.length > 0) lanes[priority].set(accountId, rest);
      sizes[priority]--;
      return next;
    },

    /**
     * Drops the newest request of the lane's longest account, if that one stays ahead of the asking account even so:
     * two accounts with as many requests do not displace each other in turn.
     */
    displaceFor: ({ accountId, priority }: AdmissionRequest): boolean => {
      const queuedOf = (account: string): number => lanes[priority].get(account)?.length ?? 0;
      const longest = [...lanes[priority].values()].reduce<readonly Queued[]>(
        (most, requests) => (requests.length > most.length ? requests : most),
        [],
      );
      const newest = longest.at(-1);
      if (!newest || longest.length < queuedOf(accountId) + 2) return false;
      remove(newest);
      newest.resolve('displaced');
      return true;
    },

    wait: (request: AdmissionRequest): Promise<Admitted> =>
      new Promise((resolve) => {
        const withdraw = (): void => {
          remove(entry);
          resolve('withdrawn');
        };
        const entry: Queued = {
          request,
          resolve: (admitted) => {
            request.signal.removeEventListener('abort', withdraw);
            resolve(admitted);
          },
        };
        request.signal.addEventListener('abort', withdraw, { once: true });
        add(entry);
      }),
  };
};
