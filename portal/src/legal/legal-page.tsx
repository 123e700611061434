/** The frame of terms and privacy. */
import type { ComponentChildren } from 'preact';
import { DocHead } from '../docs/doc-head.tsx';
import { SiteFoot } from '../layouts/site-foot.tsx';
import { SiteHead } from '../layouts/site-head.tsx';
import { OperatorValue } from './operator-value.tsx';

type Props = { title: string; lead: string; children: ComponentChildren };

export const LegalPage = ({ title, lead, children }: Props) => (
  <>
    <SiteHead />
    <main class="content prose legal-page" id="main" tabIndex={-1}>
      <DocHead title={title}>{lead}</DocHead>
      <p>
        In force from <OperatorValue field="effective" />. The provider of this service, “we” below, is{' '}
        <OperatorValue field="name" />, <OperatorValue field="address" />. Questions: <OperatorValue field="contact" />.
      </p>
      {children}
    </main>
    <SiteFoot />
  </>
);
