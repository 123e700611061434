import { describeRequirement } from '../../../shared/marketplaces/describe.ts';
import {
  type Marketplace,
  type MarketplaceName,
  marketplaceNames,
  marketplaces,
  type Rule,
} from '../../../shared/marketplaces/index.ts';
import { ruleNames } from '../components/rule-names.ts';
import { ScrollRegion } from '../components/scroll-region.tsx';
import { Table } from '../components/table.tsx';
import { DocHead, H2 } from './doc-head.tsx';

const evidences: Record<Rule['evidence'], string> = { official: 'read there', secondary: 'cited by others' };

const RuleRow = ({ rule }: { rule: Rule }) => (
  <tr>
    <td>
      {ruleNames[rule.rule]}
      <br />
      <code class="small">{rule.rule}</code>
    </td>
    <td data-label="Asked for">
      {describeRequirement(rule.requires)}
      {rule.note && <span class="small muted"> ({rule.note.replace(/\.$/, '')})</span>}
    </td>
    <td data-label="Severity">{rule.severity}</td>
    <td data-label="Source" class="small">
      <a href={rule.source} rel="noreferrer">
        {new URL(rule.source).hostname}
      </a>
      , {evidences[rule.evidence]}, {rule.as_of}
    </td>
  </tr>
);

const OneMarketplace = ({ name }: { name: MarketplaceName }) => {
  const { label, canvas, fill, format, rules }: Marketplace = marketplaces[name];
  return (
    <section>
      <H2 id={name}>{label}</H2>
      <p>
        <code>marketplace={name}</code>: {canvas.width} × {canvas.height} px, the product fills {Math.round(fill * 100)}{' '}
        % of it, {format}.
      </p>
      <ScrollRegion class="framed" label={`Rules of ${label}`}>
        <Table caption={`Rules of ${label}`} columns={['Rule', 'Asked for', 'Severity', 'Source']}>
          {rules.map((rule) => (
            <RuleRow key={rule.rule} rule={rule} />
          ))}
        </Table>
      </ScrollRegion>
    </section>
  );
};

const Marketplaces = () => (
  <>
    <DocHead title="Marketplaces">
      What each marketplace asks of a main image, as far as it can be measured on the file, with where it is written.
    </DocHead>
    <p>
      Every finished file is decoded again and measured against these rules; <code>compliance</code> lists each with
      what was measured. A listing may be refused for a <strong>required</strong> rule; <code>compliance.passed</code>{' '}
      says that all of them are met. For a recommended one it is not. Rows of severity <code>service</code> are what
      this service promises of every result, beside the marketplace&rsquo;s rules. As JSON, without a key:{' '}
      <code>GET /api/v1/marketplaces</code>.
    </p>
    <p>
      &ldquo;Read there&rdquo; means that the text was read on the marketplace&rsquo;s own page; &ldquo;cited by
      others&rdquo;, that it was read in a copy or in somebody else&rsquo;s account of that page. What could only be
      heard of is not listed as required. Marketplaces change their rules without notice, and some differ by category:
      the source decides.
    </p>
    {marketplaceNames.map((name) => (
      <OneMarketplace key={name} name={name} />
    ))}
  </>
);
export default Marketplaces;
