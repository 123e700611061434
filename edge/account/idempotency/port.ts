/** What an account remembers of requests that carry an Idempotency-Key. */
import type { BeginReply, IdempotencyRecord, StoredAnswer } from './record.ts';

/** Names a request's record. API keys of one account do not share their Idempotency-Keys. */
export type RequestRecord = {
  readonly keyId: string;
  readonly idempotencyKey: string;
  readonly batchId: string;
  /** The try's own token. Every write names it, and does nothing where another try owns the record. */
  readonly owner: string;
};

/** A record with its table's own columns, as it moves from one object to another. */
export type StoredRecord = Omit<IdempotencyRecord, 'answer' | 'owner'> & { readonly answer: string | null };

export type BatchQuery = { readonly keyIds: readonly string[]; readonly idempotencyKey: string };

export type IdempotencyPort = {
  beginRequest(request: RequestRecord): Promise<BeginReply>;
  /**
   * Reports that the try still runs, and names the batch it will open. False: the record is gone, answered or owned by
   * another try; this one must stop.
   */
  renewRequest(request: RequestRecord): Promise<boolean>;
  finishRequest(request: RequestRecord & { readonly answer: StoredAnswer }): Promise<void>;
  /** The request ends without knowing what became of its batch: the next try takes over at once. */
  yieldRequest(request: RequestRecord): Promise<void>;
  /** The batch of a request that one of these keys made; null where none is known. */
  batchOfRequest(request: BatchQuery): Promise<string | null>;
  /** Forgets the request, so that its key is free again. Only where its batch was not opened or came to nothing. */
  dropRequest(request: RequestRecord): Promise<void>;
};
