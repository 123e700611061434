/**
 * The bytes of request bodies that one isolate holds, over all requests together. Each body begins with a little room;
 * one that turns out to be larger asks once for all that it will ever hold at a time. The two kinds of room are apart, so
 * that nobody who has the second waits for any.
 */
import type { Clock } from '../../shared/clock.ts';
import { type Failure, failure } from '../../shared/errors.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import { edgeLimits } from '../limits.ts';
import { logEvent } from '../log.ts';
import { byteBudget, type Permit } from './byte-budget.ts';

/** Room for one body. */
export type BodyRoom = {
  /**
   * Before a body that has brought `read` bytes is held further: room for `bytes` at a time, the first time that it is more
   * than a little. Fails with `not_ready`.
   */
  need(read: number, bytes: number): Promise<Failure | undefined>;
  /** Others wait for room: this one must be quick, or make way. */
  isWanted(): boolean;
  /** The body is no longer held. May be called more than once. */
  leave(): void;
};
/** Fails with `not_ready`: too many bodies are being read. */
export type OpenRoom = () => Promise<Result<BodyRoom, Failure>>;
export type Bodies = {
  /** `account`: whose share it counts against. */
  of(account: string): OpenRoom;
  heldBytes(): number;
};

const { bytesMax, firstBytes, openMax, accountShare, waitMsMax, waitersMax, idleMsMax, retrySeconds } =
  edgeLimits.bodies;

export const createBodies = (clock: Clock): Bodies => {
  const bounds = (bytes: number) => ({
    bytesMax: bytes,
    accountBytesMax: bytes * accountShare,
    waitMsMax,
    waitersMax,
    idleMsMax,
  });
  const first = byteBudget(bounds(openMax * firstBytes), clock);
  const large = byteBudget(bounds(bytesMax - openMax * firstBytes), clock);
  const room = (account: string, begun: Permit): BodyRoom => {
    let more: Permit | undefined;
    return {
      async need(read, bytes) {
        begun.use();
        more?.use();
        if (more || read <= firstBytes) return undefined;
        more = await large.take(account, bytes);
        return more ? undefined : noRoom('large');
      },
      isWanted: () => first.isShort() || large.isShort(),
      leave: () => {
        begun.giveBack();
        more?.giveBack();
      },
    };
  };
  return {
    of: (account) => async () => {
      const begun = await first.take(account, firstBytes);
      return begun ? ok(room(account, begun)) : fail(noRoom('first'));
    },
    heldBytes: () => first.heldBytes() + large.heldBytes(),
  };
};

/** Gives `work` room for one body, and has it back when that is done. */
export const inRoom = async <T>(
  openRoom: OpenRoom,
  work: (room: BodyRoom) => Promise<Result<T, Failure>>,
): Promise<Result<T, Failure>> => {
  const room = await openRoom();
  if (!room.ok) return room;
  try {
    return await work(room.value);
  } finally {
    room.value.leave();
  }
};

/** For the pages of the portal, whose bodies have 16 KiB at most. */
export const uncounted: OpenRoom = async () =>
  ok({ need: async () => undefined, isWanted: () => false, leave: () => {} });

const noRoom = (kind: 'first' | 'large'): Failure => {
  logEvent('warn', 'request_body_without_room', { kind });
  return failure('not_ready', 'Too many request bodies are being read; nothing was charged', {
    retryAfterSeconds: retrySeconds,
  });
};
