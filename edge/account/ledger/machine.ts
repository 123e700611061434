/**
 * The money of one account, after TigerBeetle's two-phase transfers: a batch of n images holds n credits (pending);
 * each image then posts its
 * credit (spent) or voids it (returned), once. Pure: no I/O, no clock, no platform type. `decide` reads through a view
 * and returns the rows that
 * change; whoever calls it saves them all or none. Every command is idempotent by its id: said again, it changes
 * nothing and says so.
 *
 *     granted = available + held + spent        held = sum of pending over all holds
 *
 * `granted` is net of refunds and disputes. `available` alone may fall below zero, by a refund of credits already used.
 */
import { CREDITS_PER_IMAGE } from '../../../shared/credits.ts';
import { limits } from '../../../shared/limits.ts';

/** Credits. `entries` counts the ledger entries written so far; the next entry's sequence is one more. */
export type Totals = {
  readonly granted: number;
  readonly available: number;
  readonly held: number;
  readonly spent: number;
  readonly entries: number;
};
export const emptyTotals: Totals = { granted: 0, available: 0, held: 0, spent: 0, entries: 0 };

/** Counts are images: `images = pending + posted + voided`. A released hold takes no more resolutions. */
export type Hold = {
  readonly batchId: string;
  readonly state: 'open' | 'released';
  readonly images: number;
  readonly pending: number;
  readonly posted: number;
  readonly voided: number;
  readonly openedAtMs: number;
  /** When the batch's saga is next asked to settle; null once nothing is pending. */
  readonly checkAtMs: number | null;
};

export type Resolution = 'posted' | 'voided';
export type GrantReason = 'purchase' | 'test_purchase' | 'local' | 'promotion';
export type AdjustReason = 'refund' | 'refund_failed' | 'dispute' | 'dispute_returned' | 'correction';

/**
 * One line of the append-only ledger; the four totals are those after it. `credits` is signed: what `available` gained
 * or lost, for a post what was spent.
 */
export type Entry = {
  readonly sequence: number;
  /**
   * What made it, and what makes it idempotent: `grant:<id>`, `adjust:<id>`, `hold:<batch>`, `post:<batch>:<index>`,
   * `void:<batch>:<index>`, `release:<batch>`.
   */
  readonly commandId: string;
  readonly kind: 'grant' | 'adjust' | 'hold' | 'post' | 'void' | 'release';
  readonly credits: number;
  readonly granted: number;
  readonly available: number;
  readonly held: number;
  readonly spent: number;
  readonly batchId: string | null;
  readonly imageIndex: number | null;
  readonly reason: GrantReason | AdjustReason | ReleaseReason | null;
  /** The payment or event behind a grant or an adjustment. */
  readonly reference: string | null;
  readonly createdAtMs: number;
};

export type ReleaseReason = 'batch_unknown' | 'hold_unwanted';

export type LedgerCommand =
  | {
      readonly type: 'grant';
      readonly id: string;
      readonly credits: number;
      readonly reason: GrantReason;
      readonly reference?: string;
    }
  | {
      readonly type: 'adjust';
      readonly id: string;
      readonly credits: number;
      readonly reason: AdjustReason;
      readonly reference?: string;
    }
  | { readonly type: 'hold'; readonly batchId: string; readonly images: number }
  | { readonly type: 'resolve'; readonly batchId: string; readonly index: number; readonly as: Resolution }
  /** Returns all that is still pending: only for a batch its saga never heard of, or does not want. */
  | { readonly type: 'release'; readonly batchId: string; readonly reason: ReleaseReason }
  /** The saga was asked and knows the batch: ask again later. */
  | { readonly type: 'keep'; readonly batchId: string };

export type LedgerReply =
  | { readonly result: 'granted' | 'already_granted' | 'adjusted' | 'already_adjusted' }
  /** The id was used before for another amount; nothing changed. */
  | { readonly result: 'amount_mismatch' }
  | { readonly result: 'held' | 'already_held'; readonly available: number }
  | { readonly result: 'hold_mismatch' | 'already_released' }
  | { readonly result: 'insufficient_credits'; readonly available: number; readonly required: number }
  | { readonly result: 'posted' | 'voided' | 'already_posted' | 'already_voided' | 'index_out_of_range' }
  | { readonly result: 'hold_not_found' }
  | { readonly result: 'released'; readonly credits: number }
  | { readonly result: 'kept' | 'nothing_pending' };

/** What `decide` may read. */
export type LedgerView = {
  readonly totals: () => Totals;
  readonly hold: (batchId: string) => Hold | undefined;
  readonly resolution: (batchId: string, index: number) => Resolution | undefined;
  readonly entry: (commandId: string) => Entry | undefined;
};

/** What the caller saves, in one transaction. No `entry` means that nothing changed but perhaps `hold.checkAtMs`. */
export type LedgerDecision = {
  readonly reply: LedgerReply;
  readonly totals?: Totals;
  readonly hold?: Hold;
  readonly resolution?: { readonly batchId: string; readonly index: number; readonly as: Resolution };
  readonly entry?: Entry;
};

/** Throws on what only a bug can send: an amount that is no whole number, or totals that do not balance. */
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
      return open(view, command.batchId, command.images, nowMs);
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

const open = (view: LedgerView, batchId: string, images: number, nowMs: number): LedgerDecision => {
  if (!Number.isSafeInteger(images) || images < 1) throw new RangeError(`hold for ${images} images`);
  const earlier = view.hold(batchId);
  if (earlier) {
    if (earlier.state === 'released') return { reply: { result: 'already_released' } };
    if (earlier.images !== images) return { reply: { result: 'hold_mismatch' } };
    return { reply: { result: 'already_held', available: view.totals().available } };
  }
  const before = view.totals();
  const required = images * CREDITS_PER_IMAGE;
  if (before.available < required)
    return { reply: { result: 'insufficient_credits', available: before.available, required } };
  const totals = next(before, { available: -required, held: required });
  const hold: Hold = {
    batchId,
    state: 'open',
    images,
    pending: images,
    posted: 0,
    voided: 0,
    openedAtMs: nowMs,
    checkAtMs: nowMs + limits.ledger.holdCheckAfterMs,
  };
  return {
    reply: { result: 'held', available: totals.available },
    totals,
    hold,
    entry: entryOf(totals, {
      commandId: `hold:${batchId}`,
      kind: 'hold',
      credits: -required,
      batchId,
      createdAtMs: nowMs,
    }),
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
  const resolved: Hold = { ...hold, pending, [as]: hold[as] + 1, checkAtMs: pending === 0 ? null : hold.checkAtMs };
  const totals = next(
    view.totals(),
    as === 'posted' ? { held: -credits, spent: credits } : { held: -credits, available: credits },
  );
  const kind = as === 'posted' ? 'post' : 'void';
  return {
    reply: { result: as },
    totals,
    hold: resolved,
    resolution: { batchId, index, as },
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
  if (!hold) return { reply: { result: 'hold_not_found' } };
  if (hold.state === 'released') return { reply: { result: 'already_released' } };
  if (hold.pending === 0) return { reply: { result: 'nothing_pending' } };
  const credits = hold.pending * CREDITS_PER_IMAGE;
  const totals = next(view.totals(), { held: -credits, available: credits });
  return {
    reply: { result: 'released', credits },
    totals,
    hold: { ...hold, state: 'released', pending: 0, voided: hold.voided + hold.pending, checkAtMs: null },
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

const keep = (view: LedgerView, batchId: string, nowMs: number): LedgerDecision => {
  const hold = view.hold(batchId);
  if (!hold) return { reply: { result: 'hold_not_found' } };
  if (hold.pending === 0) return { reply: { result: 'nothing_pending' } };
  return { reply: { result: 'kept' }, hold: { ...hold, checkAtMs: nowMs + limits.ledger.holdCheckAfterMs } };
};

const next = (before: Totals, change: Partial<Omit<Totals, 'entries'>>): Totals => ({
  granted: before.granted + (change.granted ?? 0),
  available: before.available + (change.available ?? 0),
  held: before.held + (change.held ?? 0),
  spent: before.spent + (change.spent ?? 0),
  entries: before.entries + 1,
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

const assertBalanced = ({ granted, available, held, spent }: Totals): void => {
  const whole = [granted, available, held, spent].every(Number.isSafeInteger);
  if (!whole || held < 0 || spent < 0 || granted !== available + held + spent) {
    throw new Error(`ledger out of balance: granted ${granted}, available ${available}, held ${held}, spent ${spent}`);
  }
};

const assertHold = ({ batchId, images, pending, posted, voided }: Hold): void => {
  if (pending < 0 || images !== pending + posted + voided)
    throw new Error(`hold of ${batchId} out of balance: ${images} ≠ ${pending} + ${posted} + ${voided}`);
};
