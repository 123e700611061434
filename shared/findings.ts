/**
 * What was found about an input photo: each finding with what was measured, where, and what the seller can do. The
 * contract of `POST /v1/checks`, by which the edge asks a node for findings alone, is here too. Thresholds and error
 * rates are in docs/findings.md.
 */
import { z } from 'zod';
import { type ErrorCode, isErrorCode } from './errors.ts';
import { resolvedOptionsSchema } from './options.ts';

export const findingCodes = [
  'product_cropped',
  'source_too_small',
  'source_blurred',
  'several_products',
  'text_or_logo_overlay',
  'person_in_photo',
  'border_or_frame',
  'collage',
  'low_confidence',
  'already_white',
  'looks_like_screenshot',
] as const;
export type FindingCode = (typeof findingCodes)[number];

const pixels = z.number().int().nonnegative();
/** Pixels of the upright input, `x`, `y` is the upper left corner. */
export const findingBoxSchema = z.strictObject({
  x: pixels,
  y: pixels,
  width: z.number().int().positive(),
  height: z.number().int().positive(),
});

/**
 * `severity`: `required`, a listing is refused for it on one of `marketplaces`; `recommended`, it is not; `info`, there
 * is nothing to mend. `box` is null where the whole photo is meant.
 */
export const findingSchema = z.strictObject({
  code: z.enum(findingCodes),
  severity: z.enum(['required', 'recommended', 'info']),
  /** With the figure that was measured. */
  detail: z.string().max(300),
  box: findingBoxSchema.nullable(),
  /** What the seller should do. */
  remedy: z.string().max(300),
  /** Names of those for which it matters. A newer node may know more of them than its caller. */
  marketplaces: z.array(z.string().min(1).max(40)).max(100),
});
export type Finding = z.infer<typeof findingSchema>;
export type FindingSeverity = Finding['severity'];

export const findingsSchema = z.array(findingSchema).max(20);

export const checkRequestSchema = z.strictObject({
  check_id: z.string().min(1).max(64),
  /** Whose check it is; only used to share the node fairly. */
  account_id: z.string().min(1).max(64),
  input_url: z.url().max(4_096),
  options: resolvedOptionsSchema,
  /** Unix time, ms. A check past it is not run. */
  deadline_at: z.number().int().positive(),
});
export type CheckRequest = z.infer<typeof checkRequestSchema>;

const errorCode = z
  .string()
  .refine(
    (code): code is ErrorCode => isErrorCode(code),
    'is not a known error code',
  ) as unknown as z.ZodType<ErrorCode>;

export const checkReportSchema = z.object({
  /** Of the upright input, px. */
  width: z.number().int().positive(),
  height: z.number().int().positive(),
  /** In the input's pixels; null where no product was found. */
  product_box: findingBoxSchema.nullable(),
  matte_confidence: z.number().min(0).max(1),
  findings: findingsSchema,
  processing_ms: z.number().nonnegative(),
});
export type CheckReport = z.infer<typeof checkReportSchema>;

export const checkFailureSchema = z.object({ code: errorCode, detail: z.string().max(500), retryable: z.boolean() });
export type CheckFailure = z.infer<typeof checkFailureSchema>;

/** As for jobs: another node or a later moment may take the check. */
export const refusedSchema = z.object({
  code: errorCode,
  detail: z.string(),
  retry_after_seconds: z.number().positive().optional(),
});

export const checkResponseSchema = z.union([
  z.object({ check: checkReportSchema }),
  z.object({ failed: checkFailureSchema }),
  z.object({ refused: refusedSchema }),
]);
export type CheckResponse = z.infer<typeof checkResponseSchema>;
