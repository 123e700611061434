/** Checks what was measured on the decoded file against a marketplace's rules and the service's own. */
import type { Compliance, ComplianceCheck } from '../api.ts';
import { describeRequirement } from '../marketplaces/describe.ts';
import { type Marketplace, type MarketplaceName, marketplaces, type OutputFormat } from '../marketplaces/index.ts';
import type { Requirement, RequirementOf } from '../marketplaces/rule.ts';
import { amazonCompliant, ownRules, type SpecifiedRule, specifiedFill } from '../marketplaces/specified.ts';
import type { Box, Size } from './raster.ts';

/** What was read back from the file. */
export type FileFacts = {
  readonly size: Size;
  readonly bytes: number;
  readonly format: OutputFormat;
  /** In libjpeg's scale, by the file's own tables; undefined where it is no JPEG. */
  readonly jpegQuality: number | undefined;
  /** Colour space of the pixels: `srgb` where they are sRGB. */
  readonly colourSpace: string;
  readonly bitsPerSample: number;
  readonly transparent: boolean;
  /** Pixels outside the product and its shadow that are not exactly (255, 255, 255). */
  readonly notWhitePixels: number;
  /** Pixels outside the product that its shadow darkens. */
  readonly shadowPixels: number;
  readonly productBox: Box;
};

/** One row for every rule of the marketplace, then the service's own: what is required, what was measured. */
export const checkCompliance = (name: MarketplaceName, facts: FileFacts): Compliance => {
  const profile: Marketplace = marketplaces[name];
  const rules = profile.rules.map(({ severity, ...rule }) => check(rule, severity, facts));
  const own = [...(name === 'amazon' ? [specifiedFill] : []), ...ownRules]
    .filter((rule) => !profile.rules.some((known) => known.rule === rule.rule))
    .map((rule) => check(rule, 'service', facts));
  const passed = rules.every((row) => row.passed || row.severity !== 'required');
  return { marketplace: name, passed, checks: [...rules, ...own] };
};

/** The specification's flag: its own rules, shadow or not, whatever the marketplace. */
export const isAmazonCompliant = (facts: FileFacts): boolean =>
  amazonCompliant.every(({ requires }) => measureRule(requires, facts).passed);

const check = (
  { rule, requires }: SpecifiedRule,
  severity: ComplianceCheck['severity'],
  facts: FileFacts,
): ComplianceCheck => ({ rule, severity, required: describeRequirement(requires), ...measureRule(requires, facts) });

type Measure = { readonly measured: string; readonly passed: boolean };
type Measures = { readonly [Kind in Requirement['kind']]: (rule: RequirementOf<Kind>, facts: FileFacts) => Measure };

const measureRule = <Kind extends Requirement['kind']>(rule: RequirementOf<Kind>, facts: FileFacts): Measure =>
  (measures[rule.kind as Kind] as (rule: RequirementOf<Kind>, facts: FileFacts) => Measure)(rule, facts);

/** A canvas of another shape by a rounded pixel a side is the same shape. */
const ASPECT_TOLERANCE = 0.005;

const measures: Measures = {
  background_white: ({ shadow }, { transparent, notWhitePixels, shadowPixels }) => {
    if (transparent) return { measured: 'the background is transparent', passed: false };
    const darkened = shadowPixels > 0 ? `, and ${shadowPixels} of its shadow` : '';
    return {
      measured: `${notWhitePixels} pixels outside the product are not${darkened}`,
      passed: notWhitePixels === 0 && (shadow === 'tolerated' || shadowPixels === 0),
    };
  },
  // Both sides of a canvas that is not square have to hold: the product may touch neither.
  product_fill: (rule, { size, productBox }) => {
    const filled = Math.max(productBox.width / size.width, productBox.height / size.height);
    return { measured: filled.toFixed(4), passed: isWithin(rule, filled) };
  },
  product_side: (rule, { productBox }) => sideMeasure(rule, Math.max(productBox.width, productBox.height)),
  longest_side: (rule, { size }) => sideMeasure(rule, Math.max(size.width, size.height)),
  shortest_side: (rule, { size }) => sideMeasure(rule, Math.min(size.width, size.height)),
  size: ({ min_width, min_height }, { size }) => ({
    measured: `${size.width} × ${size.height} px`,
    passed: size.width >= min_width && size.height >= min_height,
  }),
  pixels: ({ max }, { size }) => ({
    measured: `${((size.width * size.height) / 1e6).toFixed(2)} megapixels`,
    passed: size.width * size.height <= max,
  }),
  aspect: ({ width, height }, { size }) => ({
    measured: `${size.width} × ${size.height} px`,
    passed: Math.abs((size.width * height) / (size.height * width) - 1) <= ASPECT_TOLERANCE,
  }),
  file_bytes: (rule, { bytes }) => ({
    measured: `${bytes.toLocaleString('en-US')} bytes`,
    passed: isWithin(rule, bytes),
  }),
  format: ({ any_of }, { format }) => ({ measured: format, passed: any_of.includes(format) }),
  jpeg_quality: ({ min }, { jpegQuality }) => ({
    measured: jpegQuality === undefined ? 'no jpg' : `quality ${jpegQuality}`,
    passed: jpegQuality === undefined || jpegQuality >= min,
  }),
  colour_space: (_, { colourSpace }) => ({
    measured: colourSpace === 'srgb' ? 'sRGB' : colourSpace,
    passed: colourSpace === 'srgb',
  }),
  bit_depth: (_, { bitsPerSample }) => ({ measured: `${bitsPerSample} bit`, passed: bitsPerSample === 8 }),
  centred: ({ within_px }, { size, productBox }) => {
    const dx = productBox.x + productBox.width / 2 - size.width / 2;
    const dy = productBox.y + productBox.height / 2 - size.height / 2;
    return {
      measured: `${dx.toFixed(1)} px across, ${dy.toFixed(1)} px down`,
      passed: Math.abs(dx) <= within_px && Math.abs(dy) <= within_px,
    };
  },
};

type Bounds = { readonly min?: number | undefined; readonly max?: number | undefined };
const isWithin = ({ min = 0, max = Number.POSITIVE_INFINITY }: Bounds, value: number): boolean =>
  value >= min && value <= max;
const sideMeasure = (bounds: Bounds, px: number): Measure => ({ measured: `${px} px`, passed: isWithin(bounds, px) });
