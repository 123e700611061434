/**
 * What a marketplace's rule is made of. A rule names where it is written and how well that is known; what nobody wrote
 * down is no rule.
 */
import type { Requirement, Rule } from './schema.ts';

export type { Requirement, Rule } from './schema.ts';

export const outputFormats = ['jpg', 'png', 'webp'] as const;
export type OutputFormat = (typeof outputFormats)[number];

export type CanvasSize = { readonly width: number; readonly height: number };

export type RequirementOf<Kind extends Requirement['kind']> = Extract<Requirement, { kind: Kind }>;

export type Marketplace = {
  /** As the marketplace writes its own name. */
  readonly label: string;
  /** Default canvas, px. */
  readonly canvas: CanvasSize;
  /** Default share of the canvas that the product box takes, by the side that fills more of it. */
  readonly fill: number;
  readonly format: OutputFormat;
  readonly rules: readonly Rule[];
};

type Papers = Pick<Rule, 'source' | 'as_of' | 'evidence'>;
type Noted = { readonly note?: string; readonly rule?: Rule['rule'] };

/**
 * Rules that are written in one place. A rule is named after what it measures; `rule` names a second bound of the same
 * measure.
 */
export const rulesFrom = (papers: Papers) => {
  const make =
    (severity: Rule['severity']) =>
    (requires: Requirement, more: Noted = {}): Rule => ({
      rule: requires.kind,
      requires,
      severity,
      ...papers,
      ...more,
    });
  return { required: make('required'), recommended: make('recommended') };
};

export const square = (side: number): CanvasSize => ({ width: side, height: side });
export const MB = 1_000_000;
