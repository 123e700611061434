/** What an account's history answers, and what it is told by the account about the time before it existed. */

import type { FoldersPort } from '../folders/port.ts';
import type { IdempotencyPort, RequestRecord, StoredRecord } from '../idempotency/port.ts';
import type { RequestLogPort, RequestRow } from '../requests/port.ts';
import type { WebhookAttemptsPort } from '../webhook-attempts/port.ts';
import type { WebhookDeliveriesPort } from '../webhook-deliveries/port.ts';

export type HistoryPort = IdempotencyPort &
  RequestLogPort &
  FoldersPort &
  WebhookAttemptsPort &
  WebhookDeliveriesPort & {
    /** Takes over lines of the log that the account's own object wrote. Repeated, it changes nothing. */
    moveIn(rows: readonly RequestRow[]): Promise<void>;
  } & ErasurePort;

/** Deletions by the owner. Repeated, they change nothing. */
export type ErasurePort = {
  /** `index` null: all of the batch. */
  eraseBatch(batchId: string, index: number | null): Promise<void>;
  /** All of the account's requests up to then; true where more are left. */
  eraseThrough(throughMs: number): Promise<boolean>;
};

/** A record that the account's own object made; `any`: whether it has records at all. */
export type OlderRecord = { readonly record: StoredRecord | null; readonly any: boolean };

/** The account's object, as far as its history asks it. */
export type OlderRecords = {
  olderRecord(request: Pick<RequestRecord, 'keyId' | 'idempotencyKey'>): Promise<OlderRecord>;
};
