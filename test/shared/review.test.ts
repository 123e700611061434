import { describe, expect, it } from 'vitest';
import { findingTexts } from '../../shared/finding-texts.ts';
import { type FindingCode, findingCodes } from '../../shared/findings.ts';
import {
  CONFIDENCE_READY_MIN,
  REASONS_MAX,
  type Reviewed,
  reviewOf,
  verdictNames,
  verdicts,
} from '../../shared/review.ts';

type Finding = Reviewed['findings'][number];
const finding = (code: FindingCode, severity: Finding['severity'], marketplaces: string[] = []): Finding => ({
  code,
  severity,
  marketplaces,
  detail: `measured ${code}`,
  remedy: findingTexts[code].remedy,
});
const check = (passed: boolean, severity: 'required' | 'recommended' | 'service' = 'required') => ({
  rule: 'background_white' as const,
  severity,
  required: 'white',
  measured: '12 pixels are not',
  passed,
});
const good: Reviewed = {
  compliance: [{ marketplace: 'amazon', checks: [check(true)] }],
  findings: [],
  confidence: 0.97,
};
const verdictOf = (change: Partial<Reviewed>): string => reviewOf({ ...good, ...change }).verdict;
const verdictsOf = (change: Partial<Reviewed>): string[] => reviewOf({ ...good, ...change }).reasons.map((r) => r.code);

describe('the verdict on a result', () => {
  it('is ready, without a reason, where rules are met, nothing was found and the cut-out is certain', () => {
    expect(reviewOf(good)).toEqual({ verdict: 'ready', reasons: [] });
    expect(verdicts.map((verdict) => verdictNames[verdict])).toEqual(['Ready', 'Needs a look', 'Retake']);
  });

  it('is never ready on a lower confidence, whatever else is measured', () => {
    for (let confidence = 0; confidence < 1; confidence += 0.001)
      expect(verdictOf({ confidence }), String(confidence)).toBe(
        confidence >= CONFIDENCE_READY_MIN ? 'ready' : 'needs_a_look',
      );
    const [reason] = reviewOf({ ...good, confidence: 0.8999 }).reasons;
    expect(reason).toMatchObject({ code: 'low_confidence', detail: expect.stringContaining('0.89, below 0.9') });
  });

  it('says a low confidence once, in the words of the finding where there is one', () => {
    const low = finding('low_confidence', 'recommended');
    expect(reviewOf({ ...good, confidence: 0.3, findings: [low] }).reasons).toEqual([
      { code: 'low_confidence', detail: low.detail, remedy: low.remedy },
    ]);
  });

  it('is never ready with any finding but a note', () => {
    for (const code of findingCodes)
      for (const severity of ['required', 'recommended'] as const)
        expect(verdictOf({ findings: [finding(code, severity, ['amazon'])] }), code).not.toBe('ready');
    expect(verdictOf({ findings: [finding('already_white', 'info')] })).toBe('ready');
  });

  it('is retake where the frame cuts the product off, for every marketplace', () => {
    expect(verdictOf({ findings: [finding('product_cropped', 'recommended')] })).toBe('retake');
  });

  it.each(['source_blurred', 'source_too_small'] as const)(
    'is retake for %s where a marketplace asked for refuses it, else needs a look',
    (code) => {
      const refused = finding(code, 'required', ['amazon']);
      const etsy = { marketplace: 'etsy' as const, checks: [] };
      expect(verdictOf({ findings: [refused] })).toBe('retake');
      expect(verdictOf({ findings: [finding(code, 'recommended')] })).toBe('needs_a_look');
      expect(verdictOf({ findings: [refused], compliance: [etsy] })).toBe('needs_a_look');
      expect(verdictOf({ findings: [refused], compliance: [etsy, ...good.compliance] })).toBe('retake');
    },
  );

  it('needs a look for separate pieces, and for what goes with the background', () => {
    expect(verdictOf({ findings: [finding('several_products', 'recommended')] })).toBe('needs_a_look');
    for (const code of ['text_or_logo_overlay', 'border_or_frame'] as const)
      expect(verdictOf({ findings: [finding(code, 'required', ['amazon'])] })).toBe('needs_a_look');
  });

  it('needs a look where any file misses a required rule, and not for advice or what the service promises', () => {
    const walmart = { marketplace: 'walmart' as const, checks: [check(false)] };
    expect(reviewOf({ ...good, compliance: [...good.compliance, walmart] })).toMatchObject({
      verdict: 'needs_a_look',
      reasons: [{ code: 'rule_not_met', detail: expect.stringMatching(/^Walmart.*12 pixels are not/) }],
    });
    for (const severity of ['recommended', 'service'] as const)
      expect(verdictOf({ compliance: [{ marketplace: 'amazon', checks: [check(false, severity)] }] })).toBe('ready');
  });

  it('gives the worst reason first, each with what to do', () => {
    const findings = [finding('several_products', 'recommended'), finding('product_cropped', 'required', ['amazon'])];
    const compliance = [{ marketplace: 'amazon' as const, checks: [check(false)] }];
    const review = reviewOf({ findings, compliance, confidence: 0.7 });
    expect(review.verdict).toBe('retake');
    expect(verdictsOf({ findings, compliance, confidence: 0.7 })).toEqual([
      'product_cropped',
      'several_products',
      'low_confidence',
      'rule_not_met',
    ]);
    expect(reviewOf({ ...good, findings: [...findings, ...findings] }).reasons).toHaveLength(2);
    const many = Array.from({ length: 40 }, () => check(false));
    const long = reviewOf({ findings, compliance: [{ marketplace: 'amazon', checks: many }], confidence: 0.7 });
    expect(long.reasons).toHaveLength(REASONS_MAX);
    for (const { detail, remedy } of review.reasons) expect([detail, remedy]).not.toContain('');
  });
});
