/**
 * What the service itself promises of a main image, whatever a marketplace asks for: the specification's figures, which
 * `amazon_compliant` stands for.
 */
import type { Requirement, Rule } from './rule.ts';

/** The specification's 85 %, and the tolerance when it is measured on the file. */
export const MAIN_IMAGE_FILL = 0.85;
export const FILL_TOLERANCE = 0.005;
/** Centre of the product box against centre of the canvas, px, either axis. */
export const CENTRE_TOLERANCE_PX = 1;

export type SpecifiedRule = { readonly rule: Rule['rule']; readonly requires: Requirement };
const rule = (requires: Requirement, name: Rule['rule'] = requires.kind): SpecifiedRule => ({ rule: name, requires });

/** Told beside a marketplace's own rules. They count for `amazon_compliant`, not for whether the marketplace's are met. */
export const ownRules: readonly SpecifiedRule[] = [
  rule({ kind: 'centred', within_px: CENTRE_TOLERANCE_PX }),
  rule({ kind: 'colour_space' }),
  rule({ kind: 'bit_depth' }),
];

/** The 85 % are a floor for Amazon; the service keeps within half a percent of it. */
export const specifiedFill: SpecifiedRule = rule(
  { kind: 'product_fill', min: MAIN_IMAGE_FILL - FILL_TOLERANCE, max: MAIN_IMAGE_FILL + FILL_TOLERANCE },
  'specified_fill',
);

/** All that `amazon_compliant` stands for. */
export const amazonCompliant: readonly SpecifiedRule[] = [
  rule({ kind: 'background_white', shadow: 'forbidden' }),
  specifiedFill,
  ...ownRules,
  rule({ kind: 'longest_side', min: 1000, max: 10_000 }),
  rule({ kind: 'format', any_of: ['jpg', 'png'] }),
];
