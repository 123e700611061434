/** What an account's history answers, and what it is told by the account about the time before it existed. */
import type { IdempotencyPort, RequestRecord, StoredRecord } from '../idempotency/port.ts';
import type { RequestLogPort, RequestRow } from '../requests/port.ts';

export type HistoryPort = IdempotencyPort &
  RequestLogPort & {
    /** Takes over lines of the log that the account's own object wrote. Repeated, it changes nothing. */
    moveIn(rows: readonly RequestRow[]): Promise<void>;
  };

/** A record that the account's own object made; `any`: whether it has records at all. */
export type OlderRecord = { readonly record: StoredRecord | null; readonly any: boolean };

/** The account's object, as far as its history asks it. */
export type OlderRecords = {
  olderRecord(request: Pick<RequestRecord, 'keyId' | 'idempotencyKey'>): Promise<OlderRecord>;
};
