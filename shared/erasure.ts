/**
 * The contract by which the edge has origin forget what it knows of images: `POST /v1/erasures`, with the service token
 * of shared/job.ts (`sub` is ERASURE_SUBJECT). Of a job only its status stays, which the ledger is compared with.
 */
import { z } from 'zod';
import { limits } from './limits.ts';

export const ERASURE_SUBJECT = 'erasure';

export const erasureRequestSchema = z.strictObject({
  job_ids: z.array(z.string().min(1).max(64)).min(1).max(limits.batch.imagesMax),
});
export type ErasureRequest = z.infer<typeof erasureRequestSchema>;

/** Jobs that were known. */
export const erasureResponseSchema = z.object({ erased: z.number().int().nonnegative() });
export type ErasureResponse = z.infer<typeof erasureResponseSchema>;
