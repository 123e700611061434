/**
 * Whether a result can be listed as it is, in three words, from what was measured of it. Pure, and without the schemas:
 * the edge says it in every answer, the portal of its own preview.
 */
import type { ComplianceCheck } from './api.ts';
import type { FindingCode, FindingSeverity } from './findings.ts';
import { type MarketplaceName, marketplaces } from './marketplaces/index.ts';

/** From best to worst. */
export const verdicts = ['ready', 'needs_a_look', 'retake'] as const;
export type Verdict = (typeof verdicts)[number];

/** As people read it. */
export const verdictNames: Readonly<Record<Verdict, string>> = {
  ready: 'Ready',
  needs_a_look: 'Needs a look',
  retake: 'Retake',
};

/** Codes of findings, and of a rule that the file does not meet. */
type ReasonCode = FindingCode | 'rule_not_met';
export type Reason = { readonly code: ReasonCode; readonly detail: string; readonly remedy: string };
export type Review = { readonly verdict: Verdict; readonly reasons: readonly Reason[] };

export type Reviewed = {
  /** Of every file of the image. */
  readonly compliance: readonly {
    readonly marketplace: MarketplaceName;
    readonly checks: readonly Pick<ComplianceCheck, 'rule' | 'severity' | 'required' | 'measured' | 'passed'>[];
  }[];
  readonly findings: readonly {
    readonly code: FindingCode;
    readonly severity: FindingSeverity;
    readonly detail: string;
    readonly remedy: string;
    readonly marketplaces: readonly string[];
  }[];
  /** 0..1 */
  readonly confidence: number;
};

/** From here on the matte was right in 95 to 100 of 100, from 0.5 to here in 50 to 71, by test set: docs/model-card.md. */
export const CONFIDENCE_READY_MIN = 0.9;

/** Only another photo helps, whatever the marketplace: a part of the product is missing. */
const alwaysRetaken: ReadonlySet<FindingCode> = new Set(['product_cropped']);
/** Only another photo helps where the marketplace refuses it. Texts and borders go with the background. */
const retakenWhereRefused: ReadonlySet<FindingCode> = new Set(['source_blurred', 'source_too_small']);

/** As many as there are codes, so that the answer of an upload of many files stays small enough to be stored. */
export const REASONS_MAX = 12;

/** `reasons`: the worst first, a finding's code once; empty with `ready`. */
export const reviewOf = (image: Reviewed): Review => {
  const asked = image.compliance.map(({ marketplace }) => marketplace);
  const found = image.findings
    .filter(({ severity, code }, at, all) => severity !== 'info' && all.findIndex((one) => one.code === code) === at)
    .map(({ code, detail, remedy, ...finding }) => ({
      verdict: verdictOn({ code, ...finding }, asked),
      reason: { code, detail, remedy },
    }));
  const retakes = found.filter(({ verdict }) => verdict === 'retake');
  const looks = found.filter(({ verdict }) => verdict === 'needs_a_look');
  const reasons = [...[...retakes, ...looks].map(({ reason }) => reason), ...unsure(image), ...unmet(image)];
  const verdict = retakes.length > 0 ? 'retake' : reasons.length > 0 ? 'needs_a_look' : 'ready';
  return { verdict, reasons: reasons.slice(0, REASONS_MAX) };
};

type Found = Pick<Reviewed['findings'][number], 'code' | 'severity' | 'marketplaces'>;

const verdictOn = ({ code, severity, marketplaces: refusing }: Found, asked: readonly MarketplaceName[]): Verdict => {
  if (alwaysRetaken.has(code)) return 'retake';
  const isRefused = severity === 'required' && asked.some((name) => refusing.includes(name));
  return isRefused && retakenWhereRefused.has(code) ? 'retake' : 'needs_a_look';
};

/** Below 0.5 the finding of that name has said so already. */
const unsure = ({ confidence, findings }: Reviewed): readonly Reason[] =>
  confidence >= CONFIDENCE_READY_MIN || findings.some(({ code }) => code === 'low_confidence')
    ? []
    : [
        {
          code: 'low_confidence',
          // Down, so that what is below the limit is never printed as the limit.
          detail: `The cut-out is not certain: confidence ${(Math.floor(confidence * 100) / 100).toFixed(2)}, below ${CONFIDENCE_READY_MIN}`,
          remedy: 'Look at the edges of the result and for parts that are missing or too many.',
        },
      ];

const unmet = ({ compliance }: Reviewed): readonly Reason[] =>
  compliance.flatMap(({ marketplace, checks }) =>
    checks
      .filter(({ severity, passed }) => severity === 'required' && !passed)
      .map(({ rule, required, measured }) => ({
        code: 'rule_not_met' as const,
        detail: `${marketplaces[marketplace].label}, ${rule}: ${required}; measured: ${measured}`,
        remedy: 'Leave the option out that sets it otherwise, or choose another marketplace.',
      })),
  );
