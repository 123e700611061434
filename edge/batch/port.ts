/** What a batch's saga does for others. Expected refusals are values. */
import type { BatchStatus, ImageStatus } from '../../shared/api.ts';
import type { KeyMode } from '../../shared/api-key.ts';
import type { Outcome } from '../../shared/job.ts';
import type { ResolvedOptions } from '../../shared/options.ts';
import type { CapReached } from '../account/ledger/types.ts';
import type { SentBy, WebhookAttempt } from '../account/webhook-attempts/port.ts';
import type { WebhookEndpoint } from '../account/webhook-endpoints/port.ts';
import type { BatchReply, EndReason, PostponeReason, Style } from './machine/types.ts';

/**
 * One image as it was sent. `filename` is the name of its result, unique in the batch; `inputUrl` is null where the
 * input lies in the store already.
 */
export type ImageInput = { readonly originalName: string; readonly filename: string; readonly inputUrl: string | null };

/** What the saga keeps of the request beside its images. */
export type BatchContext = {
  readonly batchId: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly requestId: string;
  /** Tells whether a retry under the same Idempotency-Key is the same request. */
  readonly fingerprint: string;
  readonly mode: KeyMode;
  readonly options: ResolvedOptions;
  readonly webhookUrl: string | null;
};
export type OpenBatch = BatchContext & {
  readonly style: Style;
  readonly deadlineAtMs: number;
  readonly images: readonly ImageInput[];
  /** Of edge/input-url/authorization.ts; not there where the addresses need none. */
  readonly sealedAuthorization?: string | undefined;
};

export type NotOpened =
  | { readonly result: 'refused'; readonly available: number; readonly required: number }
  /** The key has spent what it may on this UTC day. */
  | { readonly result: 'cap_reached'; readonly cap: CapReached }
  /** The key was revoked after the request came in. */
  | { readonly result: 'key_revoked' }
  /** The test images of the account's day are used up; there are new ones after `retryAfterMs`. */
  | { readonly result: 'quota_exceeded'; readonly retryAfterMs: number }
  /** The ledger gave no answer; the saga's alarm will ask it again. */
  | { readonly result: 'ledger_silent' }
  /** This id was given up before: it is never opened. */
  | { readonly result: 'given_up' }
  /** The id's batch was opened for another request; nothing has changed. */
  | { readonly result: 'fingerprint_mismatch' };
/** `available`: credits left after the hold; null where it held none: a repeated open. */
export type OpenReply = { readonly result: 'opened'; readonly available: number | null } | NotOpened;

export type ImageJob = Omit<BatchContext, 'webhookUrl'> &
  ImageInput & { readonly style: Style; readonly deadlineAtMs: number };
/** `waits`: times the image was told to wait. `failures`: times it was tried and failed. */
export type StartedJob = ImageJob & {
  readonly waits: number;
  readonly failures: number;
  readonly sealedAuthorization: string | undefined;
};
export type StartReply =
  | { readonly result: 'run'; readonly job: StartedJob }
  | { readonly result: 'already_decided'; readonly outcome: Outcome }
  | { readonly result: 'busy' | 'late' | 'unknown_batch' | 'unknown_image' | 'not_open' };

export type SnapshotImage = {
  readonly index: number;
  readonly originalName: string;
  readonly filename: string;
  readonly status: ImageStatus;
  readonly outcome: Outcome | null;
  /** Deleted by its owner: nothing more is known of it. */
  readonly isRemoved: boolean;
  /** Its files went with their download, or at the end of their life. */
  readonly isGone: boolean;
};
export type Snapshot = Omit<BatchContext, 'webhookUrl'> & {
  readonly style: Style;
  readonly status: BatchStatus;
  readonly counts: {
    readonly total: number;
    readonly queued: number;
    readonly processing: number;
    readonly completed: number;
    readonly failed: number;
  };
  /** Credits by what became of them; all 0 for test keys. */
  readonly credits: { readonly held: number; readonly posted: number; readonly voided: number };
  readonly createdAtMs: number;
  readonly completedAtMs: number | null;
  /** Why the batch was ended before its images were done; null otherwise. */
  readonly endReason: EndReason | null;
  /** When its files go at the latest. */
  readonly resultsUntilMs: number;
  readonly images: readonly SnapshotImage[];
};

/** Addresses that a batch was sent with; null for those of an upload. They may be secrets. */
export type SentRequest = { readonly webhookUrl: string | null; readonly inputUrls: readonly (string | null)[] };

/** Who made a batch. */
export type BatchOwner = Pick<BatchContext, 'accountId' | 'keyId'> & {
  /** Deleted: the batch as a whole, or images of it by index. */
  readonly removed: 'batch' | readonly number[];
  /** A result goes with its first complete download; those that went, by their image's index. */
  readonly isKeptOnce: boolean;
  readonly delivered: readonly number[];
};

/** A batch with every image decided. `available`: credits of the account after it; null where these must be asked for. */
export type DecidedBatch = { readonly batch: Snapshot; readonly available: number | null };
/** `ended`: of an upload, with the outcome that decided its last image. */
export type RecordReply = BatchReply & {
  readonly ended?: DecidedBatch;
};

/**
 * `ended`: nothing of the batch will be begun any more. `other_key`: it goes on. `asking`: its credits are being asked
 * for, so that it may yet open; ask again. `unknown`: there is no such batch here.
 */
export type EndedForKey = 'ended' | 'other_key' | 'asking' | 'unknown';

export type RemoveReply = 'removed' | 'removing' | 'running' | 'unknown';

/**
 * `attempt`: without its body. `removed`: the batch was deleted. `running`: it has not ended, so that there is nothing to
 * tell. `no_webhook`: it names no address.
 */
export type ResendReply =
  | { readonly result: 'sent'; readonly attempt: WebhookAttempt }
  | { readonly result: 'unknown' | 'removed' | 'running' | 'no_webhook' };

/** `own`: by schedule only: the batch's own webhook has this address, and tells of its end. */
export type EndpointReply =
  | { readonly result: 'sent'; readonly attempt: WebhookAttempt }
  | { readonly result: 'unknown' | 'removed' | 'running' | 'own' };
export type ToldEndpoint = Pick<WebhookEndpoint, 'endpointId' | 'url'>;

export type SagaPort = {
  /** Repeated for the same batch and fingerprint, it opens nothing new and answers how the batch stands. */
  open(batch: OpenBatch): Promise<OpenReply>;
  /**
   * The batch is dropped for good, unless its credits are held. One that was never opened is remembered as given up for
   * `edgeLimits.batch.refusedKeptMs`, so that an `open` that comes late finds that.
   */
  giveUp(batchId: string): Promise<'opened' | 'dropped' | 'removed'>;
  start(index: number): Promise<StartReply>;
  /** The image is handed over again at `retryAtMs`. Only its deadline ends one that waits. */
  postpone(index: number, retryAtMs: number, because: PostponeReason): Promise<BatchReply>;
  /**
   * Saves the image's one outcome. The last one of a batch is settled with the ledger, together with all that were not
   * settled yet, before the reply; what could not be settled, the alarm settles later.
   */
  record(index: number, outcome: Outcome): Promise<RecordReply>;
  /**
   * With `waitMs`, answers when the batch has ended or the time is over. Undefined for a batch unknown, refused or not
   * yet held, and for one that was deleted; `evenAsking`: also for one whose credits are still being asked for.
   */
  snapshot(request?: { readonly waitMs?: number; readonly evenAsking?: boolean }): Promise<Snapshot | undefined>;
  /** Of its first `max` images. Undefined as `snapshot`. */
  sent(max: number): Promise<SentRequest | undefined>;
  /** The ledger asks: settle what is left. */
  settleNow(): Promise<'known' | 'unknown'>;
  /** The key was revoked. Repeated, it changes nothing. */
  endForKey(keyId: string): Promise<EndedForKey>;
  /**
   * Deletes the files of an image, or with null of all, and what is known of them, here and elsewhere. `removing`: begun,
   * and gone on with until it is done; `running`: not decided yet, and not deleted. Repeated, it deletes nothing else.
   */
  remove(index: number | null): Promise<RemoveReply>;
  /**
   * A file was sent to its last byte. Where the account wants no result kept beyond that, the image's files go once all
   * of its outputs were; otherwise nothing changes.
   */
  noteDelivered(...objectKeys: string[]): Promise<void>;
  /**
   * One attempt at its webhook beside those of its schedule: the same event id, its body and signature made anew. One
   * that is accepted, or answered with 410, ends the schedule; one that fails leaves it as it is.
   */
  resendWebhook(): Promise<ResendReply>;
  /** One attempt to tell an endpoint of the account, with the event id and the body that its webhook gets. */
  sendToEndpoint(endpoint: ToldEndpoint, sentBy: Exclude<SentBy, 'test'>): Promise<EndpointReply>;
  /** Undefined for a batch unknown here, or never opened. */
  owner(): Promise<BatchOwner | undefined>;
};
