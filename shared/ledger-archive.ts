/**
 * The contract by which the edge reads exported ledger lines back: `POST /v1/ledger-lines` at origin, with the service
 * token of shared/job.ts (`sub` is LEDGER_ARCHIVE_SUBJECT). Origin keeps every line; the account's object only the newer
 * ones.
 */
import { z } from 'zod';
import { ledgerEntrySchema } from './ledger-export.ts';
import { limits } from './limits.ts';

export const LEDGER_ARCHIVE_SUBJECT = 'ledger-archive';

/** Lines of one account with a number below `before`, at most `max` of them. */
export const ledgerArchiveRequestSchema = z.strictObject({
  account_id: z.string().min(1).max(64),
  before: z.number().int().positive(),
  max: z.number().int().positive().max(limits.ledger.archivePageMax),
});
export type LedgerArchiveRequest = z.infer<typeof ledgerArchiveRequestSchema>;

/** Newest first. */
export const ledgerArchiveResponseSchema = z.object({ lines: z.array(ledgerEntrySchema) });
export type LedgerArchiveResponse = z.infer<typeof ledgerArchiveResponseSchema>;
