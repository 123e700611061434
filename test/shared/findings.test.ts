import { describe, expect, it } from 'vitest';
import { errors, isErrorCode } from '../../shared/errors.ts';
import {
  checkReportSchema,
  checkRequestSchema,
  findingBoxSchema,
  findingCodes,
  findingSchema,
} from '../../shared/findings.ts';
import { refusals } from '../../shared/imaging/findings/refusals.ts';
import { jobRequestSchema, outcomeSchema } from '../../shared/job.ts';
import { resolveOptions } from '../../shared/options.ts';
import { completed } from '../origin/support/outcome.ts';

describe('nodes and edges of different releases', () => {
  it('an outcome of a node that knows no findings has none', () => {
    const { findings: _, ...old } = completed();
    expect(outcomeSchema.parse(old)).toMatchObject({ status: 'completed', findings: [] });
  });
  it('a job or check of an edge that knows no on_finding only warns', () => {
    const options = resolveOptions({});
    if (!options.ok) throw new Error(options.failure.detail);
    const { on_finding: _, ...old } = options.value;
    const url = 'https://store.example/object';
    const common = { account_id: 'acc', input_url: url, options: old, deadline_at: 1 };
    const rest = { job_id: 'img', outputs: { clean: url, preview: url }, watermark: false, priority: 'batch' };
    expect(jobRequestSchema.parse({ ...common, ...rest }).options.on_finding).toBe('warn');
    expect(checkRequestSchema.parse({ ...common, check_id: 'chk' }).options.on_finding).toBe('warn');
  });
  it('a finding may name a marketplace that its reader does not know', () => {
    const finding = {
      code: 'source_blurred',
      severity: 'required',
      detail: '',
      box: null,
      remedy: '',
      marketplaces: ['later-market'],
    };
    expect(findingSchema.parse(finding)).toEqual(finding);
  });
});

describe('what a check answers', () => {
  it('has boxes in whole pixels of the photo, and none where no product was found', () => {
    expect(findingBoxSchema.safeParse({ x: -1, y: 0, width: 5, height: 5 }).success).toBe(false);
    expect(findingBoxSchema.safeParse({ x: 0, y: 0.5, width: 5, height: 5 }).success).toBe(false);
    const report = { width: 8, height: 6, product_box: null, matte_confidence: 0, findings: [], processing_ms: 1 };
    expect(checkReportSchema.parse(report)).toEqual(report);
  });
});

describe('a finding that ends an image', () => {
  it('has an error of its own, which is final', () => {
    for (const code of findingCodes) {
      const isRefused = refusals[code] !== undefined;
      expect(isErrorCode(code), code).toBe(isRefused);
      if (isErrorCode(code)) expect(errors[code]).toMatchObject({ status: 422, retryable: false, scope: 'image' });
    }
  });
});
