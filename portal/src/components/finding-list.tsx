import type { PublicFinding } from '../../../shared/check-api.ts';
import { findingTexts } from '../../../shared/finding-texts.ts';
import { marketplaceLabels } from '../marketplace-labels.ts';
import { Badge } from './badge.tsx';
import type { Tone } from './notice.tsx';

const severities: Record<PublicFinding['severity'], { readonly text: string; readonly tone: Tone }> = {
  required: { text: 'Must fix', tone: 'bad' },
  recommended: { text: 'Should fix', tone: 'warn' },
  info: { text: 'Note', tone: 'info' },
};

/** A newer node may name a marketplace that this page does not know. */
const labelsOf = (names: readonly string[]): string =>
  names.map((name) => (marketplaceLabels as Readonly<Record<string, string>>)[name] ?? name).join(', ');

/** Findings in their order; `numbered` where their boxes are drawn with these numbers on the photo. */
export const FindingList = ({
  findings,
  numbered = false,
}: {
  findings: readonly PublicFinding[];
  numbered?: boolean;
}) => (
  <ol class="findings">
    {findings.map((finding, index) => {
      const { text, tone } = severities[finding.severity];
      return (
        <li key={`${finding.code}-${index}`}>
          <p class="finding-head">
            {numbered && finding.box && (
              <span class={`finding-number ${finding.severity}`}>
                <span class="visually-hidden">Box </span>
                {index + 1}
              </span>
            )}
            <a class="grow" href={`/docs/findings#${finding.code}`}>
              {findingTexts[finding.code].title}
            </a>
            <Badge tone={tone}>{text}</Badge>
          </p>
          <p>{finding.detail}</p>
          {finding.severity !== 'info' && <p class="finding-remedy">{finding.remedy}</p>}
          {finding.marketplaces.length > 0 && <p class="muted">Matters for {labelsOf(finding.marketplaces)}</p>}
        </li>
      );
    })}
  </ol>
);
