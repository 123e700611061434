/** The verdict on an image: one of three words, why, and what to do. */
import type { PublicFinding } from '../../../shared/check-api.ts';
import { isFindingCode } from '../../../shared/finding-texts.ts';
import { CONFIDENCE_READY_MIN, type Reason, type Review, type Verdict, verdictNames } from '../../../shared/review.ts';
import { FindingList } from './finding-list.tsx';
import { Icon } from './icon.tsx';
import type { IconName } from './icon-paths.ts';
import type { Tone } from './notice.tsx';

const looks: Record<Verdict, { readonly tone: Tone; readonly icon: IconName; readonly sentence: string }> = {
  ready: { tone: 'good', icon: 'check', sentence: 'Nothing that is measured speaks against listing it.' },
  needs_a_look: { tone: 'warn', icon: 'warn', sentence: 'Look at it before you list it.' },
  retake: { tone: 'bad', icon: 'close', sentence: 'Take the photo again: no cut-out can mend this.' },
};

const titles: Partial<Record<Reason['code'], string>> = {
  low_confidence: 'The cut-out is not certain',
  rule_not_met: 'A rule is not met',
};

/** What no finding says already. */
const isOwn = ({ code }: Reason, findings: readonly PublicFinding[]): boolean =>
  !isFindingCode(code) || !findings.some((finding) => finding.code === code);

const OwnReasons = ({ reasons }: { reasons: readonly Reason[] }) => (
  <ul class="findings">
    {reasons.map(({ code, detail, remedy }) => (
      <li key={detail}>
        <p class="finding-head">{titles[code] ?? code}</p>
        <p>{detail}</p>
        <p class="finding-remedy">{remedy}</p>
      </li>
    ))}
  </ul>
);

type Props = {
  review: Review;
  findings: readonly PublicFinding[];
  /** 0 to 1. */
  confidence: number | null;
  /** Of what it is the verdict, where that needs saying. */
  note?: string | undefined;
  /** The boxes of the findings are drawn with their numbers. */
  numbered?: boolean;
};

export const VerdictPanel = ({ review: { verdict, reasons }, findings, confidence, note, numbered = false }: Props) => {
  const { tone, icon, sentence } = looks[verdict];
  const own = reasons.filter((reason) => isOwn(reason, findings));
  return (
    <section class="verdict" aria-label="Verdict" data-verdict={verdict}>
      <div class={`verdict-head ${tone}`}>
        <Icon name={icon} size={20} />
        <p>
          <strong class="verdict-word">{verdictNames[verdict]}</strong> <span>{sentence}</span>
        </p>
        {confidence !== null && (
          <p class="verdict-figure" title={`From ${CONFIDENCE_READY_MIN} on a cut-out is rarely wrong`}>
            <span>Confidence</span> <strong class="num">{(Math.floor(confidence * 100) / 100).toFixed(2)}</strong>
          </p>
        )}
      </div>
      {note && <p class="small muted">{note}</p>}
      {own.length > 0 && <OwnReasons reasons={own} />}
      {findings.length > 0 && <FindingList findings={findings} numbered={numbered} />}
    </section>
  );
};
