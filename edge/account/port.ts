/**
 * What an account's ledger does for others: flows, portal, payments and the saga speak to it through this. Expected
 * refusals are values. Lists come
 * newest first, a page at a time; `next` is the cursor of the page after, null at the end.
 */

import type { BatchStatus } from '../../shared/api.ts';
import type { KeyMode } from '../../shared/api-key.ts';
import type { BeginReply, StoredAnswer } from './idempotency/record.ts';
import type { AdjustReason, Entry, GrantReason, Hold, LedgerReply, Resolution, Totals } from './ledger/machine.ts';
import type { RateState } from './rate.ts';

/** Totals in credits; `pendingHolds` counts batches with images not yet posted or voided. */
export type Summary = Totals & {
  readonly accountId: string;
  readonly label: string;
  readonly createdAtMs: number;
  readonly pendingHolds: number;
};

/** A key as the portal may show it: the secret itself is not stored. `lastUsedAtMs` is exact to a minute. */
export type KeyRow = {
  readonly keyId: string;
  readonly mode: KeyMode;
  readonly label: string;
  /** e.g. `sk_live_…9fQ2` */
  readonly masked: string;
  readonly createdAtMs: number;
  readonly lastUsedAtMs: number | null;
  readonly revokedAtMs: number | null;
};
export type NewKey = Pick<KeyRow, 'keyId' | 'mode' | 'label' | 'masked'> & { readonly hash: string };

export type RequestRow = {
  readonly requestId: string;
  readonly atMs: number;
  readonly keyId: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly images: number;
  /** Credits charged when the answer was sent. */
  readonly credits: number;
  readonly latencyMs: number;
  readonly errorCode: string | null;
  readonly batchId: string | null;
};

export type Page<Row> = { readonly rows: readonly Row[]; readonly next: string | null };
/** At most `limits.requestLog.pageRowsMax` rows. */
export type PageRequest = { readonly cursor?: string | null; readonly max?: number };

/** `slot` marks an upload: it counts as running until `leave` or `limits.upload.waitMsMax` + grace is over. */
export type AuthenticateRequest = { readonly hash: string; readonly slot?: string };
export type AuthenticateReply =
  | {
      readonly result: 'authenticated';
      readonly keyId: string;
      readonly mode: KeyMode;
      readonly available: number;
      readonly rate: RateState;
    }
  | { readonly result: 'rate_limited'; readonly keyId: string; readonly rate: RateState }
  | { readonly result: 'too_many_uploads'; readonly keyId: string; readonly rate: RateState }
  | { readonly result: 'unknown' | 'revoked' };

/**
 * One UTC day, `day` as YYYY-MM-DD. Images and requests from the ledger and the request log; latency over requests that
 * carried images, null where there were none.
 */
export type UsageDay = {
  readonly day: string;
  readonly posted: number;
  readonly voided: number;
  readonly requests: number;
  readonly errors: number;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
};

export type WebhookSecret = { readonly secret: string; readonly rotatedAtMs: number | null };

/** A batch that reached its end, for the ledger's export. */
export type EndedBatch = {
  readonly batchId: string;
  readonly status: Extract<BatchStatus, 'completed' | 'completed_with_errors' | 'failed'>;
  readonly images: number;
  readonly completed: number;
  readonly failed: number;
  readonly atMs: number;
};

export type LedgerPort = {
  /** Makes the account known; said again, it keeps what is there. */
  open(account: { readonly accountId: string; readonly label: string }): Promise<void>;
  /** Undefined for an account that was never opened. */
  summary(): Promise<Summary | undefined>;

  addKey(key: NewKey): Promise<{ readonly result: 'added' | 'too_many_keys' | 'unknown_account' }>;
  listKeys(): Promise<readonly KeyRow[]>;
  renameKey(keyId: string, label: string): Promise<{ readonly result: 'renamed' | 'unknown_key' }>;
  /** Takes effect with the next request. */
  revokeKey(keyId: string): Promise<{ readonly result: 'revoked' | 'already_revoked' | 'unknown_key' }>;

  /** Finds the key by its hash and takes one token of the account's rate. */
  authenticate(request: AuthenticateRequest): Promise<AuthenticateReply>;
  leave(slot: string): Promise<void>;

  /** `id` makes it idempotent: a payment's or an event's id. Throws unless `credits` is a whole number other than 0. */
  grant(grant: {
    readonly id: string;
    readonly credits: number;
    readonly reason: GrantReason;
    readonly reference?: string;
  }): Promise<LedgerReply>;
  /** Takes back (below 0) or returns credits after a refund or a dispute; may leave `available` below 0. */
  adjust(adjustment: {
    readonly id: string;
    readonly credits: number;
    readonly reason: AdjustReason;
    readonly reference?: string;
  }): Promise<LedgerReply>;
  hold(request: { readonly batchId: string; readonly images: number }): Promise<LedgerReply>;
  /** At most `limits.ledger.commandRowsPerCall` rows; one reply each, in order. `ended` goes to the export once. */
  resolve(
    batchId: string,
    rows: readonly { readonly index: number; readonly as: Resolution }[],
    ended?: EndedBatch,
  ): Promise<readonly LedgerReply[]>;
  release(batchId: string): Promise<LedgerReply>;
  holds(): Promise<readonly Hold[]>;
  entries(page?: PageRequest & { readonly kind?: Entry['kind'] }): Promise<Page<Entry>>;
  /** Oldest first; days without any request are left out. At most `limits.ledger.usageDaysMax` days back. */
  usage(sinceMs: number): Promise<readonly UsageDay[]>;

  beginRequest(request: {
    readonly keyId: string;
    readonly idempotencyKey: string;
    readonly batchId: string;
  }): Promise<BeginReply>;
  /** Says that the request still runs. False: the record is gone or answered by another; this one must stop. */
  renewRequest(request: {
    readonly keyId: string;
    readonly idempotencyKey: string;
    readonly batchId: string;
  }): Promise<boolean>;
  finishRequest(request: {
    readonly keyId: string;
    readonly idempotencyKey: string;
    readonly batchId: string;
    readonly answer: StoredAnswer;
  }): Promise<void>;
  /** The request ends without knowing what became of its batch: the next try takes over at once. */
  yieldRequest(request: {
    readonly keyId: string;
    readonly idempotencyKey: string;
    readonly batchId: string;
  }): Promise<void>;
  /**
   * Forgets the request, so that the key can be used for another try. Only where its batch was not opened or came to
   * nothing.
   */
  dropRequest(request: {
    readonly keyId: string;
    readonly idempotencyKey: string;
    readonly batchId: string;
  }): Promise<void>;

  logRequest(row: RequestRow): Promise<void>;
  requests(page?: PageRequest & { readonly keyId?: string }): Promise<Page<RequestRow>>;

  request(requestId: string): Promise<RequestRow | undefined>;

  /** Signing secret of the account's webhooks (`whsec_…`), made on first use. */
  webhookSecret(): Promise<WebhookSecret>;
  rotateWebhookSecret(): Promise<WebhookSecret>;
};
