/**
 * The contract between edge and origin: `POST /v1/jobs` with a service token takes a job and answers `{outcome}`. Image
 * bytes never travel in it: the job carries presigned URLs. `job_id` is the image id; the same id answers from its
 * stored outcome.
 *
 * A job that is not decided within `limits.origin.headersAfterMs` gets the headers of a 200, then a space every
 * `limits.origin.heartbeatMs`, then the JSON, which may begin with spaces: so the caller can tell a slow job from a
 * dead node. What would have been an error status is `{refused}` then.
 */
import { z } from 'zod';
import { complianceSchema, productBoxSchema } from './api.ts';
import { type ErrorCode, isErrorCode } from './errors.ts';
import { findingsSchema } from './findings.ts';
import { limits } from './limits.ts';
import { resolvedOptionsSchema } from './options.ts';

export const jobRequestSchema = z.strictObject({
  job_id: z.string().min(1).max(64),
  /** Whose job it is; only used to share the node fairly. */
  account_id: z.string().min(1).max(64),
  input_url: z.url().max(4_096),
  /** The picture behind the product, where `options.cutout.background` is `image`. */
  background_url: z.url().max(4_096).optional(),
  /** What is product, as the caller says: there with `options.matte`. */
  matte_url: z.url().max(4_096).optional(),
  /** `others`: one for each of `options.others`, in their order. */
  outputs: z.strictObject({
    clean: z.url().max(4_096),
    preview: z.url().max(4_096),
    others: z.array(z.url().max(4_096)).optional(),
  }),
  options: resolvedOptionsSchema,
  /** Results of test keys are reduced and marked; what is measured on them describes the full-size result. */
  watermark: z.boolean(),
  priority: z.enum(['interactive', 'batch']),
  /** Unix time, ms. A job past it is not run. */
  deadline_at: z.number().int().positive(),
});
export type JobRequest = z.infer<typeof jobRequestSchema>;
export type Priority = JobRequest['priority'];

const errorCode = z
  .string()
  .refine(
    (code): code is ErrorCode => isErrorCode(code),
    'is not a known error code',
  ) as unknown as z.ZodType<ErrorCode>;

/**
 * Of the file that was stored, lower-case hex: what R2 itself computes of every object, so that the edge can compare the
 * two. A node of an earlier release sends none, and then nothing counts as stored.
 */
const md5 = z
  .string()
  .regex(/^[0-9a-f]{32}$/)
  .optional();

/** One finished file. */
const outputOutcome = {
  width: z.number().int().positive(),
  height: z.number().int().positive(),
  bytes: z.number().int().positive(),
  /** SHA-256 of the final file, lower-case hex. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  md5,
  product_box: productBoxSchema,
  upscaled: z.boolean(),
  compliance: complianceSchema,
};
const outputOutcomeSchema = z.object(outputOutcome);
export type OutputOutcome = z.infer<typeof outputOutcomeSchema>;

const completedOutcomeSchema = z.object({
  status: z.literal('completed'),
  ...outputOutcome,
  /** One for each of the job's `options.others`, in their order. */
  others: z.array(outputOutcomeSchema).optional(),
  preview_bytes: z.number().int().positive(),
  preview_md5: md5,
  matte_confidence: z.number().min(0).max(1),
  amazon_compliant: z.boolean(),
  /** About the input photo. A node of an earlier release sends none. */
  findings: findingsSchema.default([]),
  /** Time at origin from the job's arrival to its outcome, ms. */
  processing_ms: z.number().nonnegative(),
  /** Name of the model file and of the execution provider that ran it. */
  model: z.string(),
  provider: z.string(),
  /** Stage name → ms. */
  stages_ms: z.record(z.string(), z.number()),
});
export type CompletedOutcome = z.infer<typeof completedOutcomeSchema>;

const failedOutcomeSchema = z.object({
  status: z.literal('failed'),
  code: errorCode,
  detail: z.string().max(500),
  /** True where the same job may succeed later (busy, deadline, a dead node); such outcomes are not stored. */
  retryable: z.boolean(),
});
export type FailedOutcome = z.infer<typeof failedOutcomeSchema>;

export const outcomeSchema = z.discriminatedUnion('status', [completedOutcomeSchema, failedOutcomeSchema]);
export type Outcome = z.infer<typeof outcomeSchema>;

const refusalSchema = z.object({
  code: errorCode,
  detail: z.string(),
  retry_after_seconds: z.number().positive().optional(),
});
export const jobResponseSchema = z.union([z.object({ outcome: outcomeSchema }), z.object({ refused: refusalSchema })]);
export type JobResponse = z.infer<typeof jobResponseSchema>;

/**
 * Claims of the service token, a JWT signed with Ed25519 whose `kid` names the key: `sub` is the job id, `body_sha256` the lower-case hex digest of the exact body
 * bytes, `exp` at most `limits.origin.serviceTokenSeconds` after `iat`.
 */
export const SERVICE_TOKEN = {
  issuer: 'packshot-edge',
  audience: 'packshot-origin',
  secondsMax: limits.origin.serviceTokenSeconds,
} as const;
export const serviceClaimsSchema = z.object({ sub: z.string(), body_sha256: z.string().regex(/^[0-9a-f]{64}$/) });
