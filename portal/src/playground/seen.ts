/**
 * What is known of the photo and its result now, and by whom: a page shows one verdict, that of the last that measured.
 */
import type { Output } from '../../../shared/api.ts';
import type { CheckAnswer, PublicFinding } from '../../../shared/check-api.ts';
import type { MarketplaceName } from '../../../shared/marketplaces/index.ts';
import { type Review, type Reviewed, reviewOf } from '../../../shared/review.ts';
import type { Registered } from '../components/registration.ts';
import type { HeldKey } from '../held-keys.ts';
import type { RunOutcome } from './run.ts';
import type { Preview } from './use-preview.ts';

type Compliance = Output['compliance'];

export type Seen = {
  readonly review: Review;
  readonly findings: readonly PublicFinding[];
  readonly confidence: number;
  readonly compliance: Compliance | undefined;
  readonly outputs: readonly Output[];
  /** Of what it is the verdict. */
  readonly note: string;
};

/** `matte`: what was sent in place of the model. `registered`: where it has the product; otherwise as the preview found it. */
export type Ran = {
  readonly outcome: Extract<RunOutcome, { ok: true }>;
  readonly mode: HeldKey['mode'];
  readonly key: HeldKey;
  readonly matte?: Blob;
  readonly registered?: Registered;
};

const reviewed = (seen: Omit<Seen, 'review'>, all: Reviewed['compliance']): Seen => ({
  ...seen,
  review: reviewOf({ ...seen, compliance: all }),
});

/** Answers that an earlier release stored have no verdict of their own. */
const ofRun = ({ outcome: { result }, mode }: Ran): Seen => {
  const { findings, matte_confidence: confidence, compliance, outputs = [] } = result;
  const note =
    mode === 'test'
      ? 'Of the full-size result that a live key gets. The file of a test key is small and carries a mark, which does not count.'
      : 'Measured on the finished file.';
  const seen = { findings, confidence, compliance, outputs, note };
  return result.review ? { ...seen, review: result.review } : reviewed(seen, [compliance]);
};

/** Of every file that is to be made, as an answer of the API has it; none of a file whose preview is not there yet. */
const complianceOfAll = (chosen: readonly MarketplaceName[], preview: Preview | undefined): Reviewed['compliance'] =>
  chosen.map((marketplace) => {
    const report = preview?.report.marketplace === marketplace ? preview.report : preview?.small[marketplace]?.report;
    return report?.compliance ?? { marketplace, checks: [] };
  });

/** A check's findings count before the preview's: it also looks for text. `chosen`: the first one's findings count. */
export const seenOf = (
  chosen: readonly MarketplaceName[],
  preview: Preview | undefined,
  check: CheckAnswer | undefined,
  ran: Ran | undefined,
): Seen | undefined => {
  if (ran) return ofRun(ran);
  const measured = preview?.facts.isDraft ? undefined : preview;
  if (!measured && !check) return undefined;
  const note = check
    ? measured
      ? 'Of the preview, with what the check found. The run measures the finished file.'
      : 'Of what the check found. The run measures the finished file.'
    : 'Of the preview. The check and the run also look for text beside the product.';
  const [first] = chosen;
  const own = (first && measured?.small[first]?.report.findings) ?? measured?.report.findings ?? [];
  return reviewed(
    {
      findings: check?.findings ?? [...own],
      // The check takes a single pass, which nothing disagrees with.
      confidence: measured?.facts.confidence ?? check?.matte_confidence ?? 0,
      compliance: measured?.report.compliance,
      outputs: [],
      note,
    },
    complianceOfAll(chosen, measured),
  );
};
