/**
 * Bytes that may be held at once, lent in permits. Who asks waits in line, and not for ever; where room comes free, the
 * account that holds least is next, so that one that asks for much keeps nobody out.
 */
import { type Clock, TIMED_OUT, withTimeout } from '../../shared/clock.ts';

export type BudgetBounds = {
  readonly bytesMax: number;
  /** Of one account. A single permit may be larger. */
  readonly accountBytesMax: number;
  readonly waitMsMax: number;
  /** Beyond so many in line the answer is no at once. */
  readonly waitersMax: number;
  /** A permit that was not used for so long is taken back: its request was ended without a word by the runtime. */
  readonly idleMsMax: number;
};
export type Permit = {
  /** It is still in use. */
  use(): void;
  /** May be called more than once. */
  giveBack(): void;
};
export type ByteBudget = {
  /** Undefined where no room came free in time. At most `bytesMax`. */
  take(account: string, bytes: number): Promise<Permit | undefined>;
  /** Somebody waits for room, and not only because of what the own account holds. */
  isShort(): boolean;
  heldBytes(): number;
};

type Waiter = { readonly account: string; readonly bytes: number; readonly grant: (permit: Permit) => void };
/** How often a waiter looks for permits that were left behind. */
const LOOKS_PER_WAIT = 6;

export const byteBudget = (bounds: BudgetBounds, clock: Clock): ByteBudget => {
  const { bytesMax, accountBytesMax, waitMsMax, waitersMax, idleMsMax } = bounds;
  const heldBy = new Map<string, number>();
  const lent = new Map<Permit, { usedAtMs: number }>();
  const waiting = new Set<Waiter>();
  let held = 0;

  const heldOf = (account: string): number => heldBy.get(account) ?? 0;
  const hasShareLeft = ({ account, bytes }: Waiter): boolean =>
    heldOf(account) === 0 || heldOf(account) + bytes <= accountBytesMax;
  const count = (account: string, bytes: number): void => {
    held += bytes;
    const left = heldOf(account) + bytes;
    if (left === 0) heldBy.delete(account);
    else heldBy.set(account, left);
  };
  const lend = ({ account, bytes }: Waiter): Permit => {
    const use = { usedAtMs: clock.nowMs() };
    const permit: Permit = {
      use: () => {
        use.usedAtMs = clock.nowMs();
      },
      giveBack: () => {
        if (!lent.delete(permit)) return;
        count(account, -bytes);
        serve();
      },
    };
    lent.set(permit, use);
    count(account, bytes);
    return permit;
  };
  /** Of equals, who came first. */
  const next = (): Waiter | undefined => {
    let best: Waiter | undefined;
    for (const waiter of waiting)
      if (hasShareLeft(waiter) && (!best || heldOf(waiter.account) < heldOf(best.account))) best = waiter;
    return best;
  };
  /** Nobody overtakes the next one, or a large body would never be let in. */
  const serve = (): void => {
    for (let waiter = next(); waiter && held + waiter.bytes <= bytesMax; waiter = next()) {
      waiting.delete(waiter);
      waiter.grant(lend(waiter));
    }
  };
  const takeBackIdle = (): void => {
    const before = clock.nowMs() - idleMsMax;
    for (const [permit, { usedAtMs }] of lent) if (usedAtMs <= before) permit.giveBack();
  };

  return {
    async take(account, bytes) {
      takeBackIdle();
      if (waiting.size >= waitersMax) return undefined;
      const { promise, resolve } = Promise.withResolvers<Permit>();
      const waiter: Waiter = { account, bytes, grant: resolve };
      waiting.add(waiter);
      serve();
      for (let look = 0; look < LOOKS_PER_WAIT && waiting.has(waiter); look++) {
        if ((await withTimeout(promise, waitMsMax / LOOKS_PER_WAIT, clock)) === TIMED_OUT) takeBackIdle();
      }
      // Granted in the last moment is granted.
      if (!waiting.delete(waiter)) return promise;
      serve();
      return undefined;
    },
    isShort: () => [...waiting].some(hasShareLeft),
    heldBytes: () => held,
  };
};
