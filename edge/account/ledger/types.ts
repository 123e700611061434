/** Rows, commands and replies of the ledger, and what its machine reads and returns. Pure. */

import type { KeyMode } from '../../../shared/api-key.ts';
import type { Crossing } from './balance-crossing.ts';

/**
 * Credits, and counters kept with them so that nothing is ever counted anew: `entries` written so far (the next entry's
 * sequence is one more), `pendingHolds`, the batches with images not yet posted or voided, `queuedHolds`, those of them
 * that use the queue, and `windows`, the images that these may have in it or at work.
 */
export type Totals = {
  readonly granted: number;
  readonly available: number;
  readonly held: number;
  readonly spent: number;
  readonly entries: number;
  readonly pendingHolds: number;
  readonly queuedHolds: number;
  readonly windows: number;
};
export const emptyTotals: Totals = {
  granted: 0,
  available: 0,
  held: 0,
  spent: 0,
  entries: 0,
  pendingHolds: 0,
  queuedHolds: 0,
  windows: 0,
};

/** Uploads run their images themselves; only those of a batch go through the queue. */
export type HoldStyle = 'upload' | 'batch';

/**
 * Counts are images: `images = pending + posted + voided`. A released hold takes no more resolutions. One of a test key
 * holds no credits and writes no entries: its images count against the day's quota instead.
 */
export type Hold = {
  readonly batchId: string;
  /** Null for holds from before it was noted. */
  readonly keyId: string | null;
  /** That its images are made for, sorted and set apart by commas, '' for none; null for holds from before it was noted. */
  readonly marketplaces: string | null;
  readonly mode: KeyMode;
  readonly style: HoldStyle;
  readonly state: 'open' | 'released';
  readonly images: number;
  readonly pending: number;
  readonly posted: number;
  readonly voided: number;
  /** One letter an image, in order: `p` posted, `v` voided, `.` neither. */
  readonly resolved: string;
  /** Images that may be in the queue or at work at once, as the batch was last told. */
  readonly window: number;
  readonly openedAtMs: number;
  /** When the batch's saga is next asked to settle; null once nothing is pending. */
  readonly checkAtMs: number | null;
  /** When its last image was resolved, or it was released; null until then and for holds from before it was noted. */
  readonly closedAtMs: number | null;
};

/** Images that test keys of the account have held on the UTC day `day` (YYYY-MM-DD), the last one with any. */
export type TestUse = { readonly day: string; readonly images: number };

/**
 * A cap that a key's holds count against: its own, or that of a key which made it. `credits` of holds opened on the UTC
 * day `day` (YYYY-MM-DD), less those that came back.
 */
export type SpendingCap = {
  readonly keyId: string;
  readonly creditsMax: number;
  readonly day: string;
  readonly credits: number;
};
/** Why a hold was refused: `credits` of `creditsMax` are used, `required` more were asked for; a new day begins at `resetsAtMs`. */
export type CapReached = Pick<SpendingCap, 'keyId' | 'creditsMax' | 'credits'> & {
  readonly required: number;
  readonly resetsAtMs: number;
};

export type Resolution = 'posted' | 'voided';
export type ResolveRow = { readonly index: number; readonly as: Resolution };
export type GrantReason = 'purchase' | 'test_purchase' | 'local' | 'promotion';
export type AdjustReason = 'refund' | 'refund_failed' | 'dispute' | 'dispute_returned' | 'correction';

/**
 * One line of the append-only ledger; the four totals are those after it. `credits` is signed: what `available` gained
 * or lost, for a post what was spent.
 */
export type Entry = {
  readonly sequence: number;
  /**
   * What made it: `grant:<id>` or `adjust:<id>`, by which these are idempotent, `hold:<batch>`, `post:<batch>:<images>`,
   * `void:<batch>:<images>`, `release:<batch>`.
   */
  readonly commandId: string;
  readonly kind: 'grant' | 'adjust' | 'hold' | 'post' | 'void' | 'release';
  readonly credits: number;
  readonly granted: number;
  readonly available: number;
  readonly held: number;
  readonly spent: number;
  readonly batchId: string | null;
  /** Of a post or void from before one line named all images of its command. */
  readonly imageIndex: number | null;
  /** Indexes of a post's or void's images, one credit each, as in shared/image-list.ts. */
  readonly images: string | null;
  /** A batch that ended with this line, for the export: an EndedBatch as JSON. */
  readonly ended: string | null;
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
  /** `live` where no mode is given, `batch` where no style is; without `keyId` no cap applies. */
  | {
      readonly type: 'hold';
      readonly batchId: string;
      readonly keyId?: string;
      readonly marketplaces?: string;
      readonly images: number;
      readonly mode?: KeyMode;
      readonly style?: HoldStyle;
    }
  /** `inFlight`: images of the batch in the queue or at work; without it its window stays. */
  | {
      readonly type: 'resolve';
      readonly batchId: string;
      readonly rows: readonly ResolveRow[];
      readonly inFlight?: number;
      /** As the last of its lines, if there are any, is to carry it. */
      readonly ended?: string;
    }
  /**
   * Returns all that is still pending: only for a batch that its saga does not know or does not want. A hold that is not
   * wanted and comes after its release is refused.
   */
  | { readonly type: 'release'; readonly batchId: string; readonly reason: ReleaseReason }
  /** The saga was asked and knows the batch: ask again later. */
  | { readonly type: 'keep'; readonly batchId: string };

export type LedgerReply =
  | { readonly result: 'granted' | 'already_granted' | 'adjusted' | 'already_adjusted' }
  /** The id was used before for another amount; nothing changed. */
  | { readonly result: 'amount_mismatch' }
  | { readonly result: 'held' | 'already_held'; readonly available: number }
  | { readonly result: 'hold_mismatch' }
  | { readonly result: 'insufficient_credits'; readonly available: number; readonly required: number }
  /** More than the key may spend on this UTC day; nothing changed. */
  | { readonly result: 'cap_reached'; readonly available: number; readonly cap: CapReached }
  /** The account's test images of this UTC day are used up; nothing changed. There are new ones from `retryAtMs` on. */
  | { readonly result: 'quota_exceeded'; readonly retryAtMs: number }
  | ResolveReply
  /** To `resolve`: one reply for each row, in order. */
  | { readonly result: 'resolved'; readonly replies: readonly ResolveReply[] }
  | { readonly result: 'released'; readonly credits: number }
  | { readonly result: 'kept' | 'nothing_pending' };

export type ResolveReply = {
  readonly result:
    | 'posted'
    | 'voided'
    | 'already_posted'
    | 'already_voided'
    | 'index_out_of_range'
    | 'hold_not_found'
    | 'already_released';
};

/** What `decide` may read. */
export type LedgerView = {
  readonly totals: () => Totals;
  readonly hold: (batchId: string) => Hold | undefined;
  /** Of a grant or an adjustment. */
  readonly entry: (commandId: string) => Entry | undefined;
  readonly testUse: () => TestUse;
  readonly caps: (keyId: string) => readonly SpendingCap[];
  /** Credits at which the owner wants to be told; null for never. */
  readonly alertLevel: () => number | null;
};

/** What the caller saves, in one transaction. No entries mean that no credit moved. */
export type LedgerDecision = {
  readonly reply: LedgerReply;
  readonly totals?: Totals;
  readonly hold?: Hold;
  readonly entries?: readonly Entry[];
  readonly testUse?: TestUse;
  readonly caps?: readonly SpendingCap[];
  /** The balance fell to the owner's level. */
  readonly crossed?: Crossing;
};
