/** Checks what was measured on the decoded file against a marketplace's rules. Rules it does not have are not listed. */
import type { Compliance, ComplianceCheck } from '../api.ts';
import {
  CENTRE_TOLERANCE_PX,
  type Marketplace,
  type MarketplaceName,
  marketplaces,
  type OutputFormat,
} from '../marketplaces.ts';
import type { Box, Size } from './raster.ts';

/** What was read back from the file. */
export type FileFacts = {
  readonly size: Size;
  readonly format: OutputFormat;
  /** Colour space of the pixels: `srgb` where they are sRGB. */
  readonly colourSpace: string;
  readonly bitsPerSample: number;
  readonly transparent: boolean;
  /** Pixels outside the product that are not exactly (255, 255, 255). */
  readonly notWhitePixels: number;
  readonly productBox: Box;
};

/** One row for every rule of the marketplace: what it requires, what was measured, whether it passed. */
export const checkCompliance = (name: MarketplaceName, facts: FileFacts): Compliance => {
  const rules: Marketplace = marketplaces[name];
  const checks = [
    ...(rules.whiteRequired ? [backgroundWhite(facts)] : []),
    ...(rules.fillRange ? [productFill(facts, rules.fillRange), centred(facts)] : []),
    colourSpace(facts),
    bitDepth(facts),
    longestSide(facts, rules),
    format(facts, rules),
  ];
  return { marketplace: name, passed: checks.every((check) => check.passed), checks };
};

const backgroundWhite = ({ transparent, notWhitePixels }: FileFacts): ComplianceCheck => ({
  rule: 'background_white',
  required: 'every pixel outside the product is (255, 255, 255)',
  measured: transparent ? 'the background is transparent' : `${notWhitePixels} pixels outside the product are not`,
  passed: !transparent && notWhitePixels === 0,
});

const productFill = ({ size, productBox }: FileFacts, range: { min: number; max: number }): ComplianceCheck => {
  // Both sides of a canvas that is not square have to hold: the product may touch neither.
  const share = Math.max(productBox.width / size.width, productBox.height / size.height);
  return {
    rule: 'product_fill',
    required: `${range.min.toFixed(3)} to ${range.max.toFixed(3)} of the canvas`,
    measured: share.toFixed(4),
    passed: share >= range.min && share <= range.max,
  };
};

const centred = ({ size, productBox }: FileFacts): ComplianceCheck => {
  const dx = productBox.x + productBox.width / 2 - size.width / 2;
  const dy = productBox.y + productBox.height / 2 - size.height / 2;
  return {
    rule: 'centred',
    required: `within ${CENTRE_TOLERANCE_PX} px of the centre`,
    measured: `${dx.toFixed(1)} px across, ${dy.toFixed(1)} px down`,
    passed: Math.abs(dx) <= CENTRE_TOLERANCE_PX && Math.abs(dy) <= CENTRE_TOLERANCE_PX,
  };
};

const colourSpace = (facts: FileFacts): ComplianceCheck => ({
  rule: 'colour_space',
  required: 'sRGB',
  measured: facts.colourSpace === 'srgb' ? 'sRGB' : facts.colourSpace,
  passed: facts.colourSpace === 'srgb',
});

const bitDepth = (facts: FileFacts): ComplianceCheck => ({
  rule: 'bit_depth',
  required: '8 bit',
  measured: `${facts.bitsPerSample} bit`,
  passed: facts.bitsPerSample === 8,
});

const longestSide = ({ size }: FileFacts, rules: Marketplace): ComplianceCheck => {
  const longest = Math.max(size.width, size.height);
  return {
    rule: 'longest_side',
    required: `${rules.longestSide.min} to ${rules.longestSide.max} px`,
    measured: `${longest} px`,
    passed: longest >= rules.longestSide.min && longest <= rules.longestSide.max,
  };
};

const format = (facts: FileFacts, rules: Marketplace): ComplianceCheck => ({
  rule: 'format',
  required: rules.formatsAllowed.join(', '),
  measured: facts.format,
  passed: rules.formatsAllowed.includes(facts.format),
});
