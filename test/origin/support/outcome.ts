/** Outcomes as a pipeline gives them. */
import type { CompletedOutcome, FailedOutcome } from '../../../shared/job.ts';

export const completed = (more: Partial<CompletedOutcome> = {}): CompletedOutcome => ({
  status: 'completed',
  width: 1000,
  height: 1000,
  bytes: 50_000,
  sha256: 'ab'.repeat(32),
  preview_bytes: 9_000,
  product_box: { x: 75, y: 100, width: 850, height: 800 },
  matte_confidence: 0.98,
  upscaled: false,
  compliance: { marketplace: 'amazon', passed: true, checks: [] },
  amazon_compliant: true,
  findings: [],
  processing_ms: 700,
  model: 'isnet-int8',
  provider: 'cpu',
  stages_ms: { infer: 300 },
  ...more,
});

export const failedForGood: FailedOutcome = {
  status: 'failed',
  code: 'no_product_found',
  detail: 'No product was found in the image',
  retryable: false,
};
