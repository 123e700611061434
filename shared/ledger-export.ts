/**
 * The contract of the ledger export: `POST /v1/ledger-entries` at origin, with the service token of shared/job.ts
 * (`sub` is LEDGER_EXPORT_SUBJECT, `body_sha256` the digest of the exact body). The account's outbox sends its entries,
 * a finished batch sends its summary. Delivery is at least once and in any order: a row is identified by its id, a
 * repeated row is not an error, a row that comes again with other content is reported and not stored.
 */
import { z } from 'zod';
import { IMAGE_LIST, IMAGE_LIST_CHARS_MAX } from './image-list.ts';
import { limits } from './limits.ts';

export const LEDGER_EXPORT_SUBJECT = 'ledger-export';

/**
 * grant: credits bought or given · hold: reserved for a batch · post: images charged · void: images' credits returned ·
 * refund: a grant taken back.
 */
const ledgerEntryKinds = ['grant', 'hold', 'post', 'void', 'refund'] as const;

const credits = z.number().int().nonnegative();

export const ledgerEntrySchema = z.strictObject({
  id: z.string().min(1).max(96),
  account_id: z.string().min(1).max(64),
  /** Sequence number in the account's ledger: 1, 2, 3 … without a gap. */
  seq: z.number().int().positive(),
  kind: z.enum(ledgerEntryKinds),
  batch_id: z.string().min(1).max(64).optional(),
  /** The image of a post or void, from before these named all images that were settled together. */
  image_id: z.string().min(1).max(64).optional(),
  /** The images of a post or void by their index in the batch, e.g. `0-5,7`: one credit each. None: a release. */
  images: z.string().max(IMAGE_LIST_CHARS_MAX).regex(IMAGE_LIST).optional(),
  /** Always positive; the kind says which way they move. */
  credits: z.number().int().positive(),
  /** Unix time, ms, by the ledger's clock. */
  at_ms: z.number().int().positive(),
  /**
   * The account after this entry. granted − refunded = available + held + spent. A refund of credits already used takes
   * `available` below zero.
   */
  balance: z.strictObject({ available: z.number().int(), held: credits, spent: credits }),
});
export type LedgerEntry = z.infer<typeof ledgerEntrySchema>;

/** A finished batch, as its saga recorded it. */
const batchSummarySchema = z.strictObject({
  batch_id: z.string().min(1).max(64),
  account_id: z.string().min(1).max(64),
  status: z.enum(['completed', 'completed_with_errors', 'failed']),
  images: z.number().int().positive().max(limits.batch.imagesMax),
  completed: z.number().int().nonnegative(),
  failed: z.number().int().nonnegative(),
  /** Of the failed: those that the edge gave up without hearing what a node made of them. */
  unheard: z.number().int().nonnegative().optional(),
  at_ms: z.number().int().positive(),
});
export type BatchSummary = z.infer<typeof batchSummarySchema>;

const hex = (digits: number) => z.string().regex(new RegExp(`^[0-9a-f]{${digits}}$`));

/** What stands for the lines that the account no longer has; see shared/ledger-checkpoint.ts. */
const checkpointSchema = z.strictObject({
  account_id: z.string().min(1).max(64),
  through_seq: z.number().int().positive(),
  granted: z.number().int(),
  available: z.number().int(),
  held: credits,
  spent: credits,
  chain: hex(64),
  key_id: hex(8),
  /** Ed25519; 64 digits are an HMAC of an edge of the release before. */
  signature: z.union([hex(128), hex(64)]),
});

export const ledgerExportSchema = z.strictObject({
  entries: z.array(ledgerEntrySchema).max(limits.ledger.outboxBatchMax),
  batches: z.array(batchSummarySchema).max(limits.ledger.outboxBatchMax).default([]),
  /** Sent in a call of its own: a node of the version before knows none, and must still take the lines. */
  checkpoints: z.array(checkpointSchema).max(1).optional(),
});
export type LedgerExport = z.infer<typeof ledgerExportSchema>;

/**
 * Answered once every row sent is stored at origin; `conflicting` lists the ids that were already there with other
 * content. A checkpoint's id is that of its account.
 */
export const ledgerExportResponseSchema = z.object({
  stored: z.number().int().nonnegative(),
  repeated: z.number().int().nonnegative(),
  conflicting: z.array(z.string()),
});
export type LedgerExportResponse = z.infer<typeof ledgerExportResponseSchema>;
