/** What customer and operator agree on. The facts are those of the code; who operates is filled in by the operator. */
import { PACKS } from '../../../shared/credits.ts';
import { limits } from '../../../shared/limits.ts';
import { H2 } from '../docs/doc-head.tsx';
import { count, dollars } from '../format.ts';
import { LegalPage } from '../legal/legal-page.tsx';
import { OperatorValue } from '../legal/operator-value.tsx';

const packs = PACKS.map(
  ({ credits }, i) => `${count(credits)} ${i === 0 ? 'credits ' : ''}for ${dollars(credits)}`,
).join(', ');

const Terms = () => (
  <LegalPage title="Terms of service" lead="What you may expect from this service, and what we expect from you.">
    <H2 id="service">The service</H2>
    <p>
      packshot turns photos of products into main images for marketplaces, by an API and a portal. What it does, its
      limits and its prices are described in the <a href="/docs">documentation</a>, which is part of these terms.
    </p>
    <H2 id="account">Your account</H2>
    <ul class="list">
      <li>You give a mail address that you can read, and you keep your password and API keys to yourself.</li>
      <li>
        What is done with your keys, or by members whom you let into your account, counts as done by you. A key that has
        leaked is revoked in the portal, and stops working at once.
      </li>
      <li>You must be able to enter into a contract, for yourself or for the company that you act for.</li>
    </ul>
    <H2 id="credits">Credits and payment</H2>
    <ul class="list">
      <li>The service is prepaid. Packs: {packs}, plus tax where it applies. Credits do not expire.</li>
      <li>
        An image costs one credit, and only once its finished file can be downloaded. An image that fails costs nothing;
        what was held for it is returned.
      </li>
      <li>
        Credits are for this service only. They cannot be paid out or passed on. A payment that is refunded or charged
        back takes its credits back.
      </li>
      <li>
        Automatic top-up is off until you switch it on. It then charges the saved card for the pack that you chose
        whenever your credits fall to your level, up to your monthly limit before tax. You can change it, switch it off
        or remove the card at any time.
      </li>
      <li>
        Payments are made through Stripe. We never see a card’s number; what is kept of a saved card is on the{' '}
        <a href="/privacy#account">privacy page</a>.
      </li>
    </ul>
    <H2 id="photos">Your photos</H2>
    <ul class="list">
      <li>Photos and results stay yours. You give us the right to store and process them as the service needs it.</li>
      <li>You have the right to use what you send, and to have it processed.</li>
      <li>No photo is used to train or choose a model. No person looks at one, unless you send it to support.</li>
      <li>
        Results are kept {limits.retention.daysDefault} days unless you set another time, then deleted for good.
        Download what you need: we keep no copy and no backup of it.
      </li>
    </ul>
    <H2 id="use">Fair use</H2>
    <ul class="list">
      <li>Nothing unlawful, and no photos that show the abuse of people.</li>
      <li>
        No attempt to get at what belongs to others, or to disturb the service. Security research has rules of its own:{' '}
        <a href="/disclosure">Reporting a vulnerability</a>.
      </li>
      <li>Rates and quotas hold for everybody: the documentation’s page of limits says them.</li>
    </ul>
    <H2 id="compliance">What a verdict is</H2>
    <p>
      The checks measure a file against the published rules of a marketplace on the date that the documentation names. A
      marketplace may change its rules, apply others or decide otherwise. Whether it accepts an image is its decision,
      and whether an image shows the product truthfully is for you to see.
    </p>
    <H2 id="availability">Availability</H2>
    <p>
      We work to keep the service running, and publish what our own probes find on the <a href="/status">status page</a>
      . No availability is promised unless we have agreed on one with you in writing. Changes that break callers are
      told in the <a href="/changelog">changelog</a> before they take effect, where safety allows it.
    </p>
    <H2 id="liability">Liability</H2>
    <p>
      We are liable without limit for intent and gross negligence, for harm to life, body or health, and where the law
      does not let us limit it. Otherwise our liability for all claims of a year is limited to what you paid in the
      twelve months before, and we are not liable for lost profit or for data that you could have kept. An image that
      was charged and is not what was ordered is made again, or its credit returned.
    </p>
    <H2 id="end">Ending it</H2>
    <ul class="list">
      <li>
        You may delete your account at any time in the portal. Credits that are left are forfeited; it says how many.
      </li>
      <li>
        We may suspend an account that breaks these terms or endangers the service, and say why. If we end the service,
        you hear at least 60 days before, and unused credits are refunded.
      </li>
    </ul>
    <H2 id="changes">Changes of these terms</H2>
    <p>
      We tell you of changes by mail at least 30 days before. Who does not agree may delete the account before, and gets
      unused credits refunded.
    </p>
    <H2 id="law">Law</H2>
    <p>
      <OperatorValue field="jurisdiction" />. Rights that the law gives to consumers stay as they are.
    </p>
  </LegalPage>
);
export default Terms;
