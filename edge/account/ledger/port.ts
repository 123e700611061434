/** What an account's ledger does for others. It knows only money. Expected refusals are values. */
import type { BatchStatus } from '../../../shared/api.ts';
import type { KeyMode } from '../../../shared/api-key.ts';
import type { CheckpointSignature, LedgerCheckpoint } from '../../../shared/ledger-checkpoint.ts';
import type { Page, PageRequest } from '../page.ts';
import type { DayRange, UsagePeriod } from '../period.ts';
import type {
  AdjustReason,
  Entry,
  GrantReason,
  Hold,
  HoldStyle,
  LedgerReply,
  ResolveReply,
  ResolveRow,
  Totals,
} from './types.ts';

export type Summary = Totals;

/** Stands for the lines that were exported and deleted. */
export type Checkpoint = LedgerCheckpoint & CheckpointSignature & { readonly madeAtMs: number };

/** A batch that reached its end, for the ledger's export. */
export type EndedBatch = {
  readonly batchId: string;
  readonly status: Extract<BatchStatus, 'completed' | 'completed_with_errors' | 'failed'>;
  readonly images: number;
  readonly completed: number;
  readonly failed: number;
  /** Of the failed: those whose outcome was not heard of, if any. */
  readonly unheard?: number;
  readonly atMs: number;
  /** Of an upload: the slot that it took while it ran, which is free with this. */
  readonly slot?: string;
};

/** Images posted and voided on one UTC day, `day` as YYYY-MM-DD. */
export type SettledDay = { readonly day: string; readonly posted: number; readonly voided: number };

/**
 * Credits spent in a month: all of them, and by key, most first. What the keys do not add up to was spent before this was
 * counted by key.
 */
export type SpentMonth = {
  readonly credits: number;
  readonly keys: readonly { readonly keyId: string; readonly credits: number }[];
};

/**
 * Images of one period (by its first day), kind of key, key and marketplaces. `keyId` '' and `marketplaces` '?' where that
 * is not known, '*' beyond what is kept of a day. `completed` of live keys are the credits that were spent.
 */
export type ImageSplit = {
  readonly start: string;
  readonly mode: KeyMode;
  readonly keyId: string;
  readonly marketplaces: string;
  readonly completed: number;
  readonly failed: number;
};

/** `id` makes the movement idempotent: a payment's or an event's id. `credits` is a whole number other than 0. */
type Movement<Reason> = {
  readonly id: string;
  readonly credits: number;
  readonly reason: Reason;
  readonly reference?: string;
};

/** `window`: images of the batch that may be in the queue or at work at once. 0: it waits, and asks again later. */
type HoldReply = (LedgerReply | { readonly result: 'key_revoked'; readonly available: number }) & {
  readonly window: number;
  /** Days that the account wants files kept; null: as long as by default. */
  readonly retentionDays?: number | null;
};
/** One reply per row, in order. `available`: credits. */
type SettleReply = {
  readonly replies: readonly ResolveReply[];
  readonly available: number;
  readonly window: number;
};

export type LedgerPort = {
  /** Opens the account and its books; repeated, it changes nothing. */
  open(account: { readonly accountId: string; readonly label: string }): Promise<void>;
  /** Undefined for an account that was never opened. */
  summary(): Promise<Summary | undefined>;
  /** Throws unless `credits` is a positive whole number. */
  grant(grant: Movement<GrantReason>): Promise<LedgerReply>;
  /** Takes back (below 0) or returns credits after a refund or a dispute; may leave `available` below 0. */
  adjust(adjustment: Movement<AdjustReason>): Promise<LedgerReply>;
  /**
   * A credit for each image, or with `mode: 'test'` (default `live`) none: its images count against the account's
   * `limits.testImages.perDay`, beyond which the reply is `quota_exceeded`. `keyId`'s spending cap, and those of the keys
   * that made it, are never passed: the reply is `cap_reached`; where it was revoked,
   * `key_revoked`, and nothing changes. An upload (`style`, default `batch`) has no
   * window: it uses no queue. `marketplaces`: what the images are made for, set apart by commas, '' for none.
   */
  hold(request: {
    readonly batchId: string;
    readonly keyId?: string;
    readonly marketplaces?: string;
    readonly images: number;
    readonly mode?: KeyMode;
    readonly style?: HoldStyle;
  }): Promise<HoldReply>;
  /** At most `edgeLimits.ledger.commandRowsPerCall` rows; one reply each, in order. `ended` is exported once. */
  resolve(batchId: string, rows: readonly ResolveRow[], ended?: EndedBatch): Promise<readonly ResolveReply[]>;
  /**
   * The same, and says how the batch and the account stand after it. `inFlight`: images of the batch in the queue or at
   * work, beyond which it hands over none until it has the reply.
   */
  settle(batchId: string, rows: readonly ResolveRow[], inFlight: number, ended?: EndedBatch): Promise<SettleReply>;
  /** Returns what is still held for a batch that is not wanted. */
  release(batchId: string): Promise<LedgerReply>;
  holds(): Promise<readonly Hold[]>;
  /** Newest first. At or below the checkpoint only grants and adjustments are left. */
  entries(page?: PageRequest & { readonly kind?: Entry['kind'] }): Promise<Page<Entry>>;
  /** Undefined while the ledger has all of its lines. */
  checkpoint(): Promise<Checkpoint | undefined>;
  /** From the UTC day of `sinceMs`, oldest first; days on which nothing was settled are left out. */
  settledByDay(sinceMs: number): Promise<readonly SettledDay[]>;
  /** `month`: UTC, YYYY-MM. */
  spentInMonth(month: string): Promise<SpentMonth>;
  /** Of live keys they add up to the lines that posted and voided in these days, whatever is known of them. */
  imagesBySplit(range: DayRange, period: UsagePeriod): Promise<readonly ImageSplit[]>;
};

/** Whoever asked for a hold, seen from the ledger: it settles what is left, or does not know the batch. */
export type HoldOwner = { settleNow(): Promise<'known' | 'unknown'> };
