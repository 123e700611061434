/**
 * The money of one account, after TigerBeetle's two-phase transfers: a batch of n images holds n credits (pending); each
 * image then posts its credit (spent) or voids it (returned), once. Pure: no I/O, no clock, no platform type. `decide`
 * reads through a view and returns the rows that change; its caller saves all of them or none. Every command is
 * idempotent by its id: repeated, it changes nothing and says so.
 *
 *     granted = available + held + spent        held = sum of pending over all holds of live keys
 *
 * A test key's hold moves no credit and makes no entry; it counts against the day's quota.
 *
 * `granted` is net of refunds and disputes. `available` alone may fall below zero, by a refund of credits already used.
 */
import { nextUtcDayMs } from '../../../shared/clock.ts';
import { CREDITS_PER_IMAGE } from '../../../shared/credits.ts';
import { limits } from '../../../shared/limits.ts';
import { edgeLimits } from '../../limits.ts';
import type { Entry, Hold, LedgerCommand, LedgerDecision, LedgerView, ReleaseReason, Totals } from './types.ts';

export * from './types.ts';

/** Throws on what only a bug can send: an amount that is not a whole number, or totals that do not balance. */
export const decide = (view: LedgerView, command: LedgerCommand, nowMs: number): LedgerDecision => {
  const decision = decideCommand(view, command, nowMs);
  if (decision.totals) assertBalanced(decision.totals);
  if (decision.hold) assertHold(decision.hold);
  return decision;
};

const decideCommand = (view: LedgerView, command: LedgerCommand, nowMs: number): LedgerDecision => {
  switch (command.type) {
    case 'grant':
      return credit(view, command, nowMs, { done: 'granted', already: 'already_granted' });
    case 'adjust':
      return credit(view, command, nowMs, { done: 'adjusted', already: 'already_adjusted' });
    case 'hold':
      return openHold(view, command, nowMs);
    case 'resolve':
      return resolve(view, command, nowMs);
    case 'release':
      return release(view, command.batchId, command.reason, nowMs);
    case 'keep':
      return keep(view, command.batchId, nowMs);
  }
};

type CreditCommand = Extract<LedgerCommand, { type: 'grant' | 'adjust' }>;
type CreditNames = { readonly done: 'granted' | 'adjusted'; readonly already: 'already_granted' | 'already_adjusted' };

const credit = (view: LedgerView, command: CreditCommand, nowMs: number, names: CreditNames): LedgerDecision => {
  const { credits } = command;
  if (!Number.isSafeInteger(credits) || credits === 0 || (command.type === 'grant' && credits < 0))
    throw new RangeError(`${command.type} of ${credits} credits`);
  const commandId = `${command.type}:${command.id}`;
  const earlier = view.entry(commandId);
  if (earlier) return { reply: { result: earlier.credits === credits ? names.already : 'amount_mismatch' } };
  const before = view.totals();
  const totals = next(before, { granted: credits, available: credits });
  const entry = entryOf(totals, {
    commandId,
    kind: command.type,
    credits,
    reason: command.reason,
    reference: command.reference ?? null,
    createdAtMs: nowMs,
  });
  return { reply: { result: names.done }, totals, entry };
};

type HoldCommand = Extract<LedgerCommand, { type: 'hold' }>;

const openHold = (view: LedgerView, command: HoldCommand, nowMs: number): LedgerDecision => {
  const { batchId, images, mode = 'live' } = command;
  if (!Number.isSafeInteger(images) || images < 1) throw new RangeError(`hold for ${images} images`);
  const earlier = view.hold(batchId);
  if (earlier) {
    if (earlier.state === 'released') return { reply: { result: 'already_released' } };
    if (earlier.images !== images || earlier.mode !== mode) return { reply: { result: 'hold_mismatch' } };
    return { reply: { result: 'already_held', available: view.totals().available } };
  }
  return mode === 'test' ? holdTestImages(view, batchId, images, nowMs) : holdCredits(view, batchId, images, nowMs);
};

const newHold = (batchId: string, mode: Hold['mode'], images: number, nowMs: number): Hold => ({
  batchId,
  mode,
  state: 'open',
  images,
  pending: images,
  posted: 0,
  voided: 0,
  openedAtMs: nowMs,
  checkAtMs: nowMs + edgeLimits.ledger.holdCheckAfterMs,
  closedAtMs: null,
});

const holdCredits = (view: LedgerView, batchId: string, images: number, nowMs: number): LedgerDecision => {
  const before = view.totals();
  const required = images * CREDITS_PER_IMAGE;
  if (before.available < required)
    return { reply: { result: 'insufficient_credits', available: before.available, required } };
  const totals = next(before, { available: -required, held: required, pendingHolds: 1 });
  return {
    reply: { result: 'held', available: totals.available },
    totals,
    hold: newHold(batchId, 'live', images, nowMs),
    entry: entryOf(totals, {
      commandId: `hold:${batchId}`,
      kind: 'hold',
      credits: -required,
      batchId,
      createdAtMs: nowMs,
    }),
  };
};

const holdTestImages = (view: LedgerView, batchId: string, images: number, nowMs: number): LedgerDecision => {
  const day = new Date(nowMs).toISOString().slice(0, 10);
  const use = view.testUse();
  const used = (use.day === day ? use.images : 0) + images;
  if (used > limits.testImages.perDay) return { reply: { result: 'quota_exceeded', retryAtMs: nextUtcDayMs(nowMs) } };
  const before = view.totals();
  return {
    reply: { result: 'held', available: before.available },
    totals: withoutEntry(before, 1),
    hold: newHold(batchId, 'test', images, nowMs),
    testUse: { day, images: used },
  };
};

const resolve = (
  view: LedgerView,
  command: Extract<LedgerCommand, { type: 'resolve' }>,
  nowMs: number,
): LedgerDecision => {
  const { batchId, index, as } = command;
  const hold = view.hold(batchId);
  if (!hold) return { reply: { result: 'hold_not_found' } };
  if (!Number.isSafeInteger(index) || index < 0 || index >= hold.images)
    return { reply: { result: 'index_out_of_range' } };
  const earlier = view.resolution(batchId, index);
  if (earlier) return { reply: { result: earlier === 'posted' ? 'already_posted' : 'already_voided' } };
  if (hold.state === 'released') return { reply: { result: 'already_released' } };
  const credits = CREDITS_PER_IMAGE;
  const pending = hold.pending - 1;
  const closed = pending === 0 ? -1 : 0;
  const resolved: Hold = {
    ...hold,
    pending,
    [as]: hold[as] + 1,
    checkAtMs: pending === 0 ? null : hold.checkAtMs,
    closedAtMs: pending === 0 ? nowMs : null,
  };
  const resolution = { batchId, index, as };
  if (hold.mode === 'test')
    return { reply: { result: as }, totals: withoutEntry(view.totals(), closed), hold: resolved, resolution };
  const totals = next(
    view.totals(),
    as === 'posted'
      ? { held: -credits, spent: credits, pendingHolds: closed }
      : { held: -credits, available: credits, pendingHolds: closed },
  );
  const kind = as === 'posted' ? 'post' : 'void';
  return {
    reply: { result: as },
    totals,
    hold: resolved,
    resolution,
    entry: entryOf(totals, {
      commandId: `${kind}:${batchId}:${index}`,
      kind,
      credits,
      batchId,
      imageIndex: index,
      createdAtMs: nowMs,
    }),
  };
};

const release = (view: LedgerView, batchId: string, reason: ReleaseReason, nowMs: number): LedgerDecision => {
  const hold = view.hold(batchId);
  if (!hold)
    return { reply: { result: 'hold_not_found' }, ...(reason === 'hold_unwanted' && neverHeld(batchId, nowMs)) };
  if (hold.state === 'released') return { reply: { result: 'already_released' } };
  if (hold.pending === 0) return { reply: { result: 'nothing_pending' } };
  const released: Hold = {
    ...hold,
    state: 'released',
    pending: 0,
    voided: hold.voided + hold.pending,
    checkAtMs: null,
    closedAtMs: nowMs,
  };
  if (hold.mode === 'test')
    return { reply: { result: 'released', credits: 0 }, totals: withoutEntry(view.totals(), -1), hold: released };
  const credits = hold.pending * CREDITS_PER_IMAGE;
  const totals = next(view.totals(), { held: -credits, available: credits, pendingHolds: -1 });
  return {
    reply: { result: 'released', credits },
    totals,
    hold: released,
    entry: entryOf(totals, {
      commandId: `release:${batchId}`,
      kind: 'release',
      credits,
      batchId,
      reason,
      createdAtMs: nowMs,
    }),
  };
};

/** A hold of nothing, for one that is still on its way: it comes after its release and must hold no credit. */
const neverHeld = (batchId: string, nowMs: number): { readonly hold: Hold } => ({
  hold: {
    ...newHold(batchId, 'live', 0, nowMs),
    state: 'released',
    checkAtMs: null,
    closedAtMs: nowMs,
  },
});

const keep = (view: LedgerView, batchId: string, nowMs: number): LedgerDecision => {
  const hold = view.hold(batchId);
  if (!hold) return { reply: { result: 'hold_not_found' } };
  if (hold.pending === 0) return { reply: { result: 'nothing_pending' } };
  return { reply: { result: 'kept' }, hold: { ...hold, checkAtMs: nowMs + edgeLimits.ledger.holdCheckAfterMs } };
};

const next = (before: Totals, change: Partial<Omit<Totals, 'entries'>>): Totals => ({
  granted: before.granted + (change.granted ?? 0),
  available: before.available + (change.available ?? 0),
  held: before.held + (change.held ?? 0),
  spent: before.spent + (change.spent ?? 0),
  entries: before.entries + 1,
  pendingHolds: before.pendingHolds + (change.pendingHolds ?? 0),
});

/** No credit moves and no line is written; so many more holds are pending. */
const withoutEntry = (before: Totals, pendingHolds: number): Totals => ({
  ...before,
  pendingHolds: before.pendingHolds + pendingHolds,
});

type EntryParts = Pick<Entry, 'commandId' | 'kind' | 'credits' | 'createdAtMs'> & Partial<Entry>;
const entryOf = (totals: Totals, parts: EntryParts): Entry => ({
  batchId: null,
  imageIndex: null,
  reason: null,
  reference: null,
  ...parts,
  sequence: totals.entries,
  granted: totals.granted,
  available: totals.available,
  held: totals.held,
  spent: totals.spent,
});

const assertBalanced = ({ granted, available, held, spent, pendingHolds }: Totals): void => {
  const whole = [granted, available, held, spent].every(Number.isSafeInteger);
  if (!whole || held < 0 || spent < 0 || pendingHolds < 0 || granted !== available + held + spent) {
    throw new Error(`ledger out of balance: granted ${granted}, available ${available}, held ${held}, spent ${spent}`);
  }
};

const assertHold = ({ batchId, images, pending, posted, voided }: Hold): void => {
  if (pending < 0 || images !== pending + posted + voided)
    throw new Error(`hold of ${batchId} out of balance: ${images} ≠ ${pending} + ${posted} + ${voided}`);
};
