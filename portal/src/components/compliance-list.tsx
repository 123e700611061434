import type { Compliance } from '../../../shared/api.ts';
import { marketplaceLabels } from '../marketplace-labels.ts';
import { Icon } from './icon.tsx';
import { ruleNames } from './rule-names.ts';

type Check = Compliance['checks'][number];

const severities: Record<Check['severity'], string> = {
  required: '',
  recommended: 'recommended',
  service: 'our promise',
};

/** Every check with what was required and what was measured. */
export const ComplianceList = ({ compliance }: { compliance: Compliance }) => (
  <details class="checks" open={!compliance.passed}>
    <summary>
      {/* No green here: the verdict is said once, and weighs more than the file. */}
      <span class={compliance.passed ? 'muted' : 'bad-text'}>
        <Icon name={compliance.passed ? 'check' : 'warn'} size={14} />
      </span>
      {compliance.passed ? 'The file meets' : 'The file does not meet'} the rules of{' '}
      {marketplaceLabels[compliance.marketplace]}: {compliance.checks.filter((check) => check.passed).length} of{' '}
      {compliance.checks.length} checks
    </summary>
    <ul>
      {compliance.checks.map((check) => (
        <li key={check.rule}>
          <span class={check.passed ? 'muted' : 'bad-text'}>
            <Icon name={check.passed ? 'check' : 'close'} size={13} />
            <span class="visually-hidden">{check.passed ? 'Passed:' : 'Failed:'}</span>
          </span>
          <span class="grow">
            {ruleNames[check.rule] ?? check.rule}
            {severities[check.severity] && <span class="small muted"> {severities[check.severity]}</span>}
          </span>
          <span class="mono small muted">{check.measured}</span>
        </li>
      ))}
    </ul>
  </details>
);
