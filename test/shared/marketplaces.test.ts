import { describe, expect, it } from 'vitest';
import { checkCompliance, type FileFacts, isAmazonCompliant } from '../../shared/imaging/compliance.ts';
import { fileBounds } from '../../shared/marketplaces/bounds.ts';
import { describeRequirement } from '../../shared/marketplaces/describe.ts';
import { type Marketplace, marketplaceNames, marketplaces } from '../../shared/marketplaces/index.ts';
import { ruleSchema } from '../../shared/marketplaces/schema.ts';

/** Hosts that speak for the marketplace. */
const ownHosts: Readonly<Record<string, readonly string[]>> = {
  amazon: ['sellercentral.amazon.com'],
  walmart: ['marketplacelearn.walmart.com'],
  ebay: ['www.ebay.com', 'developer.ebay.com'],
  google: ['support.google.com'],
  zalando: ['partner.zalando.com'],
  'mercado-libre': ['developers.mercadolibre.com.ar'],
};

const papers = { source: 'https://seller.example/images', as_of: '2026-11-22', evidence: 'official' } as const;
const aRule = { rule: 'format', requires: { kind: 'format', any_of: ['jpg'] }, severity: 'required', ...papers };

describe('a rule has papers', () => {
  it.each([
    [{ source: undefined }],
    [{ source: 'hearsay' }],
    [{ source: 'http://seller.example/images' }],
    [{ as_of: undefined }],
    [{ as_of: 'last year' }],
    [{ evidence: undefined }],
    [{ evidence: 'hearsay' }],
    [{ severity: undefined }],
    [{ requires: { kind: 'nice_looking' } }],
  ])('one with %j is none', (without) => {
    expect(ruleSchema.safeParse(aRule).success).toBe(true);
    expect(ruleSchema.safeParse({ ...aRule, ...without }).success).toBe(false);
  });

  describe.each(marketplaceNames)('%s', (name) => {
    const { rules }: Marketplace = marketplaces[name];

    it.each(rules.map((rule) => [rule.rule, rule] as const))('%s', (_, rule) => {
      expect(ruleSchema.strict().parse(rule)).toEqual(rule);
      expect(Date.parse(rule.as_of)).toBeLessThanOrEqual(Date.now());
      expect(describeRequirement(rule.requires)).not.toBe('any');
      if (rule.evidence === 'official') expect(ownHosts[name]).toContain(new URL(rule.source).hostname);
    });

    it('names each rule once', () => {
      expect(new Set(rules.map(({ rule }) => rule)).size).toBe(rules.length);
    });
  });
});

const good: FileFacts = {
  size: { width: 2200, height: 2200 },
  bytes: 400_000,
  format: 'jpg',
  jpegQuality: 92,
  colourSpace: 'srgb',
  bitsPerSample: 8,
  transparent: false,
  notWhitePixels: 0,
  shadowPixels: 0,
  productBox: { x: 165, y: 165, width: 1870, height: 1870 },
};

describe('a report is made of the rules of its marketplace', () => {
  it.each(marketplaceNames)('%s: one row for each rule, with its severity', (name) => {
    const { checks } = checkCompliance(name, good);
    const rows = checks.filter(({ severity }) => severity !== 'service');
    expect(rows.map(({ rule, severity }) => ({ rule, severity }))).toEqual(
      marketplaces[name].rules.map(({ rule, severity }) => ({ rule, severity })),
    );
  });

  it.each([
    ['walmart', 'background_white', { notWhitePixels: 1 }],
    ['walmart', 'background_white', { shadowPixels: 1 }],
    ['walmart', 'background_white', { transparent: true }],
    ['walmart', 'aspect', { size: { width: 2200, height: 2230 } }],
    ['walmart', 'file_bytes', { bytes: 5_000_001 }],
    ['walmart', 'format', { format: 'webp' }],
    ['walmart', 'bit_depth', { bitsPerSample: 16 }],
    ['amazon', 'product_fill', { productBox: { x: 200, y: 200, width: 1800, height: 1800 } }],
    ['amazon', 'longest_side', { size: { width: 10_001, height: 10_001 } }],
    ['ebay', 'longest_side', { size: { width: 499, height: 499 } }],
    ['ebay', 'largest_side', { size: { width: 9001, height: 10 } }],
    ['google', 'shortest_side', { size: { width: 499, height: 2000 } }],
    ['google', 'pixels', { size: { width: 8001, height: 8000 } }],
    ['zalando', 'size', { size: { width: 761, height: 1100 } }],
    ['bol', 'file_bytes', { bytes: 29_999 }],
    ['bol', 'product_side', { productBox: { x: 0, y: 0, width: 499, height: 499 } }],
  ] as const)('%s refuses %s with %j, and says so', (name, rule, facts) => {
    const report = checkCompliance(name, { ...good, ...facts });
    expect(report.checks.find((row) => row.rule === rule)).toMatchObject({ severity: 'required', passed: false });
    expect(report.passed).toBe(false);
  });

  it('a recommended rule that is not met is listed and refuses nothing', () => {
    const report = checkCompliance('ebay', { ...good, jpegQuality: 89 });
    expect(report.checks.find(({ rule }) => rule === 'jpeg_quality')).toMatchObject({
      severity: 'recommended',
      passed: false,
      measured: 'quality 89',
    });
    expect(report.passed).toBe(true);
  });

  it("the service's own promises are listed beside amazon's rules, and do not refuse for amazon", () => {
    const large = { ...good, productBox: { x: 55, y: 55, width: 2090, height: 2090 } };
    const report = checkCompliance('amazon', large);
    expect(report.checks.find(({ rule }) => rule === 'specified_fill')).toMatchObject({
      severity: 'service',
      passed: false,
    });
    expect([report.passed, isAmazonCompliant(large), isAmazonCompliant(good)]).toEqual([true, false, true]);
  });

  it.each([
    [{ notWhitePixels: 1 }],
    [{ shadowPixels: 1 }],
    [{ transparent: true }],
    [{ productBox: { x: 168, y: 165, width: 1870, height: 1870 } }],
    [{ productBox: { x: 150, y: 150, width: 1900, height: 1900 } }],
    [{ colourSpace: 'b-w' }],
    [{ bitsPerSample: 16 }],
    [{ size: { width: 999, height: 999 }, productBox: { x: 75, y: 75, width: 849, height: 849 } }],
    [{ format: 'webp' as const }],
  ])('amazon_compliant stays what the specification says: not with %j', (facts) => {
    expect(isAmazonCompliant({ ...good, ...facts })).toBe(false);
  });
});

describe('what the encoder keeps to', () => {
  it('the bytes and the quality that a marketplace names, and nothing where it names none', () => {
    expect(fileBounds(marketplaces.walmart)).toEqual({ bytesMin: 0, bytesMax: 5_000_000, qualityMin: undefined });
    expect(fileBounds(marketplaces.ebay)).toEqual({ bytesMin: 0, bytesMax: 12_000_000, qualityMin: 90 });
    expect(fileBounds(marketplaces.bol)).toEqual({ bytesMin: 30_000, bytesMax: 10_000_000, qualityMin: undefined });
    expect(fileBounds(marketplaces.amazon)).toEqual({ bytesMin: 0, bytesMax: Infinity, qualityMin: undefined });
  });
});
