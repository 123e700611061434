/**
 * The money of one account, after TigerBeetle's two-phase transfers: a batch of n images holds n credits (pending); each
 * image then posts its credit (spent) or voids it (returned), once. Pure: no I/O, no clock, no platform type. `decide`
 * reads through a view and returns the rows that change; its caller saves all of them or none. Every command is
 * idempotent by its id: repeated, it changes nothing and says so.
 *
 *     granted = available + held + spent        held = sum of pending over all holds of live keys
 *
 * A key with a cap holds no more credits on a UTC day than that. A test key's hold moves no credit and makes no entry;
 * it counts against the day's quota.
 *
 * `granted` is net of refunds and disputes. `available` alone may fall below zero, by a refund of credits already used.
 */
import { nextUtcDayMs } from '../../../shared/clock.ts';
import { CREDITS_PER_IMAGE } from '../../../shared/credits.ts';
import { imageList } from '../../../shared/image-list.ts';
import { limits } from '../../../shared/limits.ts';
import { edgeLimits } from '../../limits.ts';
import { marketplaceSet } from '../period.ts';
import { crossingOf } from './balance-crossing.ts';
import { giveBack, spend } from './spending-caps.ts';
import type {
  Entry,
  Hold,
  LedgerCommand,
  LedgerDecision,
  LedgerView,
  ReleaseReason,
  ResolveReply,
  ResolveRow,
  SpendingCap,
  Totals,
} from './types.ts';
import { windowOf } from './window.ts';

export * from './types.ts';

/** Throws on what only a bug can send: an amount that is not a whole number, or totals that do not balance. */
export const decide = (view: LedgerView, command: LedgerCommand, nowMs: number): LedgerDecision => {
  const decision = decideCommand(view, command, nowMs);
  if (decision.totals) assertBalanced(decision.totals);
  if (decision.hold) assertHold(decision.hold);
  const crossed = crossingOf(decision, view.alertLevel);
  return crossed ? { ...decision, crossed } : decision;
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
  return { reply: { result: names.done }, totals, entries: [entry] };
};

type HoldCommand = Extract<LedgerCommand, { type: 'hold' }>;
type NewHold = Omit<HoldCommand, 'type'>;

const openHold = (view: LedgerView, command: HoldCommand, nowMs: number): LedgerDecision => {
  const { images, mode = 'live' } = command;
  if (!Number.isSafeInteger(images) || images < 1) throw new RangeError(`hold for ${images} images`);
  const earlier = view.hold(command.batchId);
  if (earlier) {
    if (earlier.state === 'released') return { reply: { result: 'already_released' } };
    if (earlier.images !== images || earlier.mode !== mode) return { reply: { result: 'hold_mismatch' } };
    return { reply: { result: 'already_held', available: view.totals().available } };
  }
  return mode === 'test' ? holdTestImages(view, command, nowMs) : holdCredits(view, command, nowMs);
};

const newHold = (
  { batchId, keyId, marketplaces, images, mode = 'live', style = 'batch' }: NewHold,
  nowMs: number,
): Hold => ({
  batchId,
  keyId: keyId ?? null,
  marketplaces: marketplaces === undefined ? null : marketplaceSet(marketplaces),
  mode,
  style,
  state: 'open',
  images,
  pending: images,
  posted: 0,
  voided: 0,
  resolved: PENDING.repeat(images),
  window: 0,
  openedAtMs: nowMs,
  checkAtMs: nowMs + edgeLimits.ledger.holdFirstCheckAfterMs,
  closedAtMs: null,
});

const holdCredits = (view: LedgerView, command: HoldCommand, nowMs: number): LedgerDecision => {
  const { batchId, images } = command;
  const before = view.totals();
  const required = images * CREDITS_PER_IMAGE;
  if (before.available < required)
    return { reply: { result: 'insufficient_credits', available: before.available, required } };
  const spent = spend(capsOf(view, command.keyId), required, nowMs);
  if (spent.result === 'reached')
    return { reply: { result: 'cap_reached', available: before.available, cap: spent.cap } };
  const moved = next(before, { available: -required, held: required });
  const entry = entryOf(moved, {
    commandId: `hold:${batchId}`,
    kind: 'hold',
    credits: -required,
    batchId,
    createdAtMs: spent.atMs,
  });
  return {
    reply: { result: 'held', available: moved.available },
    ...counted(moved, undefined, newHold(command, spent.atMs), 0),
    entries: [entry],
    caps: spent.caps,
  };
};

const capsOf = (view: LedgerView, keyId: string | null | undefined): readonly SpendingCap[] =>
  keyId ? view.caps(keyId) : [];
const returnedTo = (view: LedgerView, { keyId, openedAtMs }: Hold, credits: number): readonly SpendingCap[] =>
  credits === 0 ? [] : giveBack(capsOf(view, keyId), credits, openedAtMs);

const holdTestImages = (view: LedgerView, command: HoldCommand, nowMs: number): LedgerDecision => {
  const day = new Date(nowMs).toISOString().slice(0, 10);
  const use = view.testUse();
  const used = (use.day === day ? use.images : 0) + command.images;
  if (used > limits.testImages.perDay) return { reply: { result: 'quota_exceeded', retryAtMs: nextUtcDayMs(nowMs) } };
  const before = view.totals();
  return {
    reply: { result: 'held', available: before.available },
    ...counted(before, undefined, newHold(command, nowMs), 0),
    testUse: { day, images: used },
  };
};

type ResolveCommand = Extract<LedgerCommand, { type: 'resolve' }>;
const PENDING = '.';
const LETTERS = { posted: 'p', voided: 'v' } as const;

const resolve = (view: LedgerView, command: ResolveCommand, nowMs: number): LedgerDecision => {
  const { batchId, rows, inFlight } = command;
  const hold = view.hold(batchId);
  if (!hold) return { reply: { result: 'resolved', replies: rows.map(() => ({ result: 'hold_not_found' })) } };
  const letters = [...hold.resolved];
  const replies = rows.map((row) => resolveOne(hold, letters, row));
  const fresh = rows.filter(({ as }, i) => replies[i]?.result === as);
  const before = view.totals();
  const { totals: moved, entries } =
    hold.mode === 'live' ? book(before, { ...command, rows: fresh }, nowMs) : { totals: before, entries: [] };
  const posted = fresh.filter(({ as }) => as === 'posted').length;
  const pending = hold.pending - fresh.length;
  const resolved: Hold = {
    ...hold,
    pending,
    posted: hold.posted + posted,
    voided: hold.voided + fresh.length - posted,
    resolved: letters.join(''),
    ...(pending === 0 && hold.pending > 0 && { checkAtMs: null, closedAtMs: nowMs }),
  };
  const reply = { result: 'resolved', replies } as const;
  const after = counted(moved, hold, resolved, inFlight ?? Math.min(hold.window, pending));
  const isSame = fresh.length === 0 && after.hold.window === hold.window;
  const voided = hold.mode === 'live' ? fresh.length - posted : 0;
  return isSame ? { reply } : { reply, ...after, entries, caps: returnedTo(view, hold, voided * CREDITS_PER_IMAGE) };
};

/** Notes the row in `letters`, where nothing is noted for its image yet. */
const resolveOne = (hold: Hold, letters: string[], { index, as }: ResolveRow): ResolveReply => {
  const earlier = letters[index];
  if (!Number.isSafeInteger(index) || index < 0 || earlier === undefined) return { result: 'index_out_of_range' };
  if (earlier !== PENDING) return { result: earlier === LETTERS.posted ? 'already_posted' : 'already_voided' };
  if (hold.state === 'released') return { result: 'already_released' };
  letters[index] = LETTERS[as];
  return { result: as };
};

/** One line for what is posted and one for what is voided. */
const book = (
  before: Totals,
  { batchId, rows, ended }: ResolveCommand,
  nowMs: number,
): { readonly totals: Totals; readonly entries: readonly Entry[] } => {
  let totals = before;
  const entries = (['posted', 'voided'] as const).flatMap((as): Entry[] => {
    const indexes = rows.filter((row) => row.as === as).map(({ index }) => index);
    if (indexes.length === 0) return [];
    const credits = indexes.length * CREDITS_PER_IMAGE;
    totals = next(
      totals,
      as === 'posted' ? { held: -credits, spent: credits } : { held: -credits, available: credits },
    );
    const [kind, images] = [as === 'posted' ? 'post' : 'void', imageList(indexes)] as const;
    const commandId = `${kind}:${batchId}:${images}`;
    return [entryOf(totals, { commandId, kind, credits, batchId, images, createdAtMs: nowMs })];
  });
  const last = entries.pop();
  return { totals, entries: last ? [...entries, { ...last, ended: ended ?? null }] : [] };
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
  const before = view.totals();
  if (hold.mode === 'test') return { reply: { result: 'released', credits: 0 }, ...counted(before, hold, released, 0) };
  const credits = hold.pending * CREDITS_PER_IMAGE;
  const moved = next(before, { held: -credits, available: credits });
  const entry = entryOf(moved, {
    commandId: `release:${batchId}`,
    kind: 'release',
    credits,
    batchId,
    reason,
    createdAtMs: nowMs,
  });
  const caps = returnedTo(view, hold, credits);
  return { reply: { result: 'released', credits }, ...counted(moved, hold, released, 0), entries: [entry], caps };
};

/** A hold of nothing, for one that is still on its way: it comes after its release and must hold no credit. */
const neverHeld = (batchId: string, nowMs: number): { readonly hold: Hold } => ({
  hold: {
    ...newHold({ batchId, images: 0 }, nowMs),
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

type Moved = Partial<Pick<Totals, 'granted' | 'available' | 'held' | 'spent'>>;

const next = (before: Totals, change: Moved): Totals => ({
  ...before,
  granted: before.granted + (change.granted ?? 0),
  available: before.available + (change.available ?? 0),
  held: before.held + (change.held ?? 0),
  spent: before.spent + (change.spent ?? 0),
  entries: before.entries + 1,
});

const isPending = (hold: Hold | undefined): hold is Hold => hold !== undefined && hold.pending > 0;
const isQueued = (hold: Hold | undefined): hold is Hold => isPending(hold) && hold.style === 'batch';

/** The hold in its new state with its window, and the counters that follow from that. */
const counted = (
  totals: Totals,
  before: Hold | undefined,
  after: Hold,
  inFlight: number,
): { readonly totals: Totals; readonly hold: Hold } => {
  const pendingHolds = totals.pendingHolds + Number(isPending(after)) - Number(isPending(before));
  const queuedHolds = totals.queuedHolds + Number(isQueued(after)) - Number(isQueued(before));
  const others = totals.windows - (before?.window ?? 0);
  const window = isQueued(after) ? windowOf({ others, queuedHolds, inFlight, pending: after.pending }) : 0;
  return {
    totals: { ...totals, pendingHolds, queuedHolds, windows: others + window },
    hold: { ...after, window },
  };
};

type EntryParts = Pick<Entry, 'commandId' | 'kind' | 'credits' | 'createdAtMs'> & Partial<Entry>;
const entryOf = (totals: Totals, parts: EntryParts): Entry => ({
  batchId: null,
  imageIndex: null,
  images: null,
  ended: null,
  reason: null,
  reference: null,
  ...parts,
  sequence: totals.entries,
  granted: totals.granted,
  available: totals.available,
  held: totals.held,
  spent: totals.spent,
});

const assertBalanced = ({ granted, available, held, spent, pendingHolds, queuedHolds, windows }: Totals): void => {
  const whole = [granted, available, held, spent].every(Number.isSafeInteger);
  if (
    !whole ||
    held < 0 ||
    spent < 0 ||
    pendingHolds < 0 ||
    queuedHolds < 0 ||
    windows < 0 ||
    granted !== available + held + spent
  ) {
    throw new Error(`ledger out of balance: granted ${granted}, available ${available}, held ${held}, spent ${spent}`);
  }
};

const assertHold = ({ batchId, images, pending, posted, voided }: Hold): void => {
  if (pending < 0 || images !== pending + posted + voided)
    throw new Error(`hold of ${batchId} out of balance: ${images} ≠ ${pending} + ${posted} + ${voided}`);
};
