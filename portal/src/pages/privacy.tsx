/** What is stored, where, for how long, and who else sees it. docs/security.md says the same to companies. */
import { limits } from '../../../shared/limits.ts';
import { ScrollRegion } from '../components/scroll-region.tsx';
import { H2 } from '../docs/doc-head.tsx';
import { LegalPage } from '../legal/legal-page.tsx';
import { OperatorValue } from '../legal/operator-value.tsx';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const { daysDefault, daysMax } = limits.retention;

type Row = readonly [what: string, why: string, life: string];

const photos: readonly Row[] = [
  [
    'Photos that you send',
    'to make the image',
    `${limits.downloads.inputObjectMs / HOUR} hours, or until the image is decided where you keep nothing`,
  ],
  [
    'Results and previews',
    'so that you can download them',
    `${daysDefault} days, or as you set it: 1 to ${daysMax}, or until the first complete download`,
  ],
  ['A photo of a free check', 'to look at it', 'until the answer; 24 hours at most where its deletion fails'],
  [
    'A photo on the first page',
    'to preview it',
    'stays in your browser; a small copy is sent for a quick look, and kept nowhere',
  ],
  ['File names, input addresses, options and outcomes', 'so that you can ask how a batch stands', '30 days'],
];

const account: readonly Row[] = [
  ['Mail address, name, a hash of the password, second factors', 'to sign you in', 'as long as the account exists'],
  [
    'Sessions, with network address and browser',
    'to keep you signed in, and to show you where',
    '7 days after their last use',
  ],
  ['The network of a sign-in, as a fingerprint', 'to tell you from somebody who guesses', '90 days'],
  ['Counters of tries, mails and previews, by network address', 'against abuse', 'an hour to a day'],
  [
    'Request log: time, path, key, outcome, file names',
    'so that you can see what was done',
    `${limits.requestLog.keptMs / DAY} days`,
  ],
  [
    'Counts of images and requests, by day, key and marketplace',
    'so that you can see what was used',
    '400 days, also where other data are deleted',
  ],
  [
    'Members of an account, and invitations: mail address and role',
    'so that several people can work with it',
    'until they leave or are removed; an invitation 7 days after its end',
  ],
  [
    'Audit log: who changed what, who was invited, joined or left',
    'so that you can see who was at your account',
    '400 days; network addresses in it 90',
  ],
  ['Attempts at webhooks, with the body that was sent', 'so that you can see what arrived', '30 days'],
  ['Ledger of credits: amounts, times, ids', 'accounting', 'as long as the law asks for it'],
  ['Payments: Stripe’s ids and amounts', 'accounting', 'as long as the law asks for it'],
];

const processors = [
  [
    'Cloudflare',
    'the API, the portal, storage and databases; Turnstile, where it is on, checks visitors',
    'everything in the tables above',
  ],
  [
    'Stripe',
    'payments and invoices',
    'mail address and what was bought; your card, address and tax id go to Stripe alone',
  ],
] as const;

type TableProps = {
  title: string;
  rows: readonly (readonly [string, string, string])[];
  head: readonly [string, string, string];
};

const Facts = ({ title, rows, head }: TableProps) => (
  <ScrollRegion class="framed" label={title}>
    <table>
      <caption class="visually-hidden">{title}</caption>
      <thead>
        <tr>
          {head.map((name) => (
            <th key={name}>{name}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([first, ...rest]) => (
          <tr key={first}>
            <td>{first}</td>
            {rest.map((text, i) => (
              <td key={text} data-label={head[i + 1]}>
                {text}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </ScrollRegion>
);

const Privacy = () => (
  <LegalPage title="Privacy" lead="What is stored about you and your photos, why, for how long, and who else sees it.">
    <H2 id="photos">Photos</H2>
    <p>
      No photo is used to train or choose a model, and no person looks at one, unless you send it to support. Where a
      photo shows people, you decide why it is processed and we process it for you.
    </p>
    <Facts title="Photos" rows={photos} head={['What', 'Why', 'How long']} />
    <H2 id="account">Your account</H2>
    <p>
      We process it to fulfil the contract with you, to keep the service safe, which is our legitimate interest, and to
      meet the law’s duties of accounting.
    </p>
    <Facts title="Your account" rows={account} head={['What', 'Why', 'How long']} />
    <p>
      Log lines of the servers carry ids, codes and times: no photo, key, link or password. A deleted account’s mail
      address, sessions, keys, photos and logs go with it; the audit log stays its time without network addresses after
      90 days.
    </p>
    <H2 id="browser">In your browser</H2>
    <ul class="list">
      <li>
        Cookies: one for your session (7 days), one while you enter a second factor, and one by which we know this
        device again, so that strangers’ wrong passwords do not lock you out (180 days). All are needed for signing in;
        none follows you elsewhere.
      </li>
      <li>
        Storage: your choice of light or dark, the model of the preview, and until the tab is closed a run that is under
        way and a payment that is awaited.
      </li>
      <li>No analytics, no advertising, no fonts or scripts of others.</li>
    </ul>
    <H2 id="others">Who else is involved</H2>
    <Facts title="Who else is involved" rows={processors} head={['Who', 'For what', 'What they get']} />
    <p>
      Image nodes, their database and mails: <OperatorValue field="processors" />. Nodes see a photo in memory while
      they work on it, their database keeps job ids and outcomes for 7 days and the ledger, and the mail service gets
      your address and the mail. Some of these companies may process data outside your country.
    </p>
    <H2 id="rights">Your rights</H2>
    <ul class="list">
      <li>See and take with you: the portal shows and exports logs, ledger and audit log.</li>
      <li>Correct: mail address and other facts, in the portal’s settings.</li>
      <li>
        Delete: single results, batches, all data, or the account, in the portal or by the API, at once or within
        minutes. Cloudflare’s own recovery copies of databases end after 30 days.
      </li>
      <li>
        Ask and object: write to <OperatorValue field="contact" />. You may also complain to your data protection
        authority.
      </li>
    </ul>
  </LegalPage>
);
export default Privacy;
