/**
 * Who may work when. A bounded queue in front of a fixed number of places: interactive before batch, and within each,
 * accounts take turns, so that one
 * account's thousand images do not stand before another's one. What no longer matters leaves the queue at once. Pure
 * but for the clock it is given.
 */
import { type Failure, failure } from '../../shared/errors.ts';
import { limits } from '../../shared/limits.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import { createRateMeter, type RateMeter } from './rate.ts';

export type Priority = 'interactive' | 'batch';
export type Ticket = { readonly accountId: string; readonly priority: Priority; readonly signal: AbortSignal };
/**
 * A place to work in. `release` must be called once; false stands for a ticket whose signal was aborted while it
 * waited.
 */
export type Turn = { release(): void } | false;
export type Admission = {
  /** Fails with `origin_busy` and the seconds after which the jobs ahead are done. */
  admit(ticket: Ticket): Result<Promise<Turn>, Failure>;
  queued(priority: Priority): number;
  running(): number;
};

type Waiting = { readonly ticket: Ticket; readonly resolve: (turn: Turn) => void };
/** Accounts in the order in which they are served next; Map keeps it. */
type Lane = Map<string, Waiting[]>;

export const createAdmission = (
  options: { places: number; queueMax: number; now: () => number },
  meter: RateMeter = createRateMeter(options.now),
): Admission => {
  const lanes: Record<Priority, Lane> = { interactive: new Map(), batch: new Map() };
  const sizes: Record<Priority, number> = { interactive: 0, batch: 0 };
  let running = 0;

  const remove = (waiting: Waiting): void => {
    const { accountId, priority } = waiting.ticket;
    const left = lanes[priority].get(accountId)?.filter((other) => other !== waiting) ?? [];
    if (left.length > 0) lanes[priority].set(accountId, left);
    else lanes[priority].delete(accountId);
    sizes[priority]--;
  };

  /** The next of the lane's first account; the account then goes to the end of the lane. */
  const takeNext = (): Waiting | undefined => {
    const priority = sizes.interactive > 0 ? 'interactive' : 'batch';
    const [entry] = lanes[priority];
    const next = entry?.[1][0];
    if (!entry || !next) return undefined;
    const [accountId, [, ...rest]] = entry;
    lanes[priority].delete(accountId);
    if (rest.length > 0) lanes[priority].set(accountId, rest);
    sizes[priority]--;
    return next;
  };

  const begin = (): Turn => {
    running++;
    let released = false;
    return {
      release: () => {
        if (released) throw new Error('a place was released twice');
        released = true;
        running--;
        meter.completed(running > 0 || sizes.interactive + sizes.batch > 0);
        const next = takeNext();
        next?.resolve(begin());
      },
    };
  };

  const isFull = (priority: Priority): boolean =>
    sizes.interactive + sizes.batch >= options.queueMax ||
    (priority === 'batch' && sizes.batch >= options.queueMax * limits.origin.batchQueueShare);

  const wait = (ticket: Ticket): Promise<Turn> =>
    new Promise((resolve) => {
      const leave = (): void => (remove(waiting), resolve(false));
      const waiting: Waiting = {
        ticket,
        resolve: (turn) => (ticket.signal.removeEventListener('abort', leave), resolve(turn)),
      };
      ticket.signal.addEventListener('abort', leave, { once: true });
      lanes[ticket.priority].set(ticket.accountId, [...(lanes[ticket.priority].get(ticket.accountId) ?? []), waiting]);
      sizes[ticket.priority]++;
    });

  return {
    admit: (ticket) => {
      if (ticket.signal.aborted) return ok(Promise.resolve(false));
      if (running < options.places) return ok(Promise.resolve(begin()));
      if (!isFull(ticket.priority)) return ok(wait(ticket));
      return fail(
        failure('origin_busy', undefined, { retryAfterSeconds: meter.secondsFor(sizes.interactive + sizes.batch) }),
      );
    },
    queued: (priority) => sizes[priority],
    running: () => running,
  };
};
