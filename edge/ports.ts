/**
 * What flows reach outside themselves: small interfaces without a platform type. stores/ and the Durable Objects fill
 * them.
 */
import type { Clock } from '../shared/clock.ts';
import type { Failure } from '../shared/errors.ts';
import type { CheckFailure, CheckReport, CheckRequest } from '../shared/findings.ts';
import type { RandomBytes } from '../shared/ids.ts';
import type { JobRequest, Outcome } from '../shared/job.ts';
import type { QuickLook, QuickLookRequest } from '../shared/quick-look.ts';
import type { Result } from '../shared/result.ts';
import type { LinkHolder } from '../shared/signed-token.ts';
import type { KeyGuard } from './account/key-guard.ts';
import type { LedgerArchive } from './account/ledger/archive.ts';
import type { AccountOf } from './account/port.ts';
import type { SagaPort } from './batch/port.ts';
import type { LinkGuard } from './download/link-guard.ts';
import type { Slice } from './download/range.ts';
import type { InputAuthorizations } from './input-url/authorization.ts';
import type { Bodies } from './spool/bodies.ts';
import type { InputSink } from './spool/sink.ts';
import type { Attempt, WebhookCall } from './webhooks/deliver.ts';

/** Follows a request into origin: its id and its W3C trace. */
export type Trace = { readonly requestId: string; readonly traceparent: string };

export type OriginReply<T = Outcome> =
  | { readonly kind: 'outcome'; readonly outcome: T }
  | { readonly kind: 'busy'; readonly retryAfterMs: number }
  | { readonly kind: 'unreachable' }
  /** A bug of origin's. */
  | { readonly kind: 'failed' };

/** What a node found on a photo, or why it could not be read. */
export type CheckOutcome = { readonly check: CheckReport } | { readonly failed: CheckFailure };

export type QuickLookOutcome = { readonly look: QuickLook } | { readonly failed: CheckFailure };

/** `md5`: lower-case hex, as the store computed it; it does so of every object that was written in one piece. */
export type StoredObject = { readonly bytes: number; readonly etag: string; readonly md5: string | undefined };
export type ObjectStore = {
  /** Where an input is written, block by block. */
  sink(key: string): InputSink;
  head(key: string): Promise<StoredObject | undefined>;
  /** The whole object or a part of it; undefined where it is not. */
  read(key: string, part?: Slice): Promise<ReadableStream<Uint8Array> | undefined>;
  /** At most 1,000 keys. */
  remove(keys: readonly string[]): Promise<void>;
  /** At most `edgeLimits.removal.objectsPerCall` of the objects whose keys begin so; true where more may be left. */
  removeUnder(prefix: string): Promise<boolean>;
  /** Presigned URL, valid for `edgeLimits.objects.presignedSeconds`. To be written with the key's content type alone. */
  presign(method: 'GET' | 'PUT', key: string): Promise<string>;
};

/** As webhooks/deliver.ts has them. */
type Webhooks = {
  readonly check: (url: string) => Result<string, Failure>;
  readonly deliver: (call: WebhookCall) => Promise<Attempt>;
};

/** 0 ≤ x < 1 */
type Random = () => number;

export type Services = {
  readonly accountOf: AccountOf;
  readonly keyGuard: KeyGuard;
  readonly sagaOf: (batchId: string) => SagaPort;
  readonly objects: ObjectStore;
  /** Room for the bodies of requests and of inputs that are fetched. */
  readonly bodies: Bodies;
  readonly runJob: (job: JobRequest, trace: Trace) => Promise<OriginReply>;
  readonly runCheck: (check: CheckRequest, trace: Trace) => Promise<OriginReply<CheckOutcome>>;
  readonly runQuickLook: (request: QuickLookRequest, trace: Trace) => Promise<OriginReply<QuickLookOutcome>>;
  /** Origin forgets what it found out about these images. Throws where no node does. */
  readonly eraseJobs: (jobIds: readonly string[]) => Promise<void>;
  readonly ledgerArchive: LedgerArchive;
  /** Absolute URL of a download that ends at `expiresAtMs`, or with the key of its batch; one for the `owner` of the account does not end with the key. */
  readonly downloadUrl: (
    objectKey: string,
    filename: string,
    expiresAtMs: number,
    madeFor: LinkHolder,
  ) => Promise<string>;
  readonly linkState: LinkGuard;
  readonly webhooks: Webhooks;
  readonly inputAuthorizations: InputAuthorizations;
  readonly clock: Clock;
  readonly random: Random;
  readonly randomBytes: RandomBytes;
};
