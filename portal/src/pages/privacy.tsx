/** What is stored, where, for how long, and who else sees it. docs/security.md says the same to companies. */
import { limits } from '../../../shared/limits.ts';
import { ScrollRegion } from '../components/scroll-region.tsx';
import { Table } from '../components/table.tsx';
import { H2 } from '../docs/doc-head.tsx';
import { LegalPage } from '../legal/legal-page.tsx';
import { OperatorValue } from '../legal/operator-value.tsx';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const { daysDefault, daysMax, undeliveredMs } = limits.retention;

type Row = readonly [what: string, why: string, life: string];

const photos: readonly Row[] = [
  [
    'Photos that you send, and mattes and backgrounds with them',
    'to make the image',
    `${limits.downloads.inputObjectMs / HOUR} hours, or until the image is decided where you keep nothing`,
  ],
  [
    'Results and previews',
    'so that you can download them',
    `${daysDefault} days, or as you set it: 1 to ${daysMax}, or until the first complete download, ${undeliveredMs / HOUR} hours at most`,
  ],
  ['A photo of a free check', 'to look at it', 'until the answer; 24 hours at most where its deletion fails'],
  [
    'A photo on the first page',
    'to preview it',
    'stays in your browser; a small copy is sent for a quick look, and kept nowhere',
  ],
  [
    'File and folder names, addresses of photos and of a batch’s webhook, options and outcomes',
    'so that you can ask how a batch stands',
    '30 days',
  ],
  [
    'Answers to requests with an Idempotency-Key',
    'so that one that is sent twice is charged once',
    `${limits.idempotency.keptMs / HOUR} hours`,
  ],
];

const account: readonly Row[] = [
  [
    'Mail address, name, a hash of the password, second factors, public parts of passkeys',
    'to sign you in',
    'as long as the account exists',
  ],
  ['A mail address that a link was sent to, for registering or as a new address', 'to know it is yours', 'an hour'],
  [
    'Sessions, with network address, country and browser',
    'to keep you signed in, and to show you where',
    '7 days after their last use',
  ],
  ['The network of a sign-in, as a fingerprint', 'to tell you from somebody who guesses', '90 days'],
  [
    'Counters of tries, mails and previews, by network address or a hash of the mail address',
    'against abuse',
    'an hour to a day',
  ],
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
    'Audit log: who changed what, from which country; mail addresses that were changed, invited, joined or left',
    'so that you can see who was at your account',
    '400 days; network addresses in it 90',
  ],
  [
    'Addresses of webhook endpoints, and the events chosen for each',
    'to tell your server what happened',
    'until you remove them or delete the account',
  ],
  [
    'Attempts at webhooks: host and path, and the body that was sent',
    'so that you can see what arrived',
    '30 days, the newest 1,000',
  ],
  [
    'A card saved for automatic top-up: brand, last four digits, expiry, Stripe’s ids of it and of you',
    'to buy the packs that you asked for',
    'until you remove it or delete the account; the audit log has brand and last four digits for its time',
  ],
  ['What automatic top-up bought or tried to', 'so that you can see what was charged', '400 days'],
  ['Ledger of credits: amounts, times, ids', 'accounting', 'as long as the law asks for it'],
  ['Payments: Stripe’s ids, amounts, mail address of the buyer', 'accounting', 'as long as the law asks for it'],
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
    'mail address and what was bought. Card, postal address and tax id are entered on Stripe’s pages: we never see a card’s number, and keep of a card only what the table above says',
  ],
  [
    'A service that knows leaked passwords',
    'where it is on, to refuse such a one as your new password',
    'the first five digits of a hash of it, of which many passwords are possible',
  ],
] as const;

type TableProps = {
  title: string;
  rows: readonly (readonly [string, string, string])[];
  head: readonly [string, string, string];
};

const Facts = ({ title, rows, head }: TableProps) => (
  <ScrollRegion class="framed" label={title}>
    <Table caption={title} columns={head}>
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
    </Table>
  </ScrollRegion>
);

const Privacy = () => (
  <LegalPage title="Privacy" lead="What is stored about you and your photos, why, for how long, and who else sees it.">
    <H2 id="photos">Photos</H2>
    <p>
      No photo is used to train or choose a model, and no person looks at one, unless you send it to support. Where a
      photo shows people, you decide why it is processed and we process it for you. That a photo shows a face, and
      where, is told to you; whose it is, is not looked for.
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
      address, sessions, keys, photos, saved card and logs go with it; payments and ledger stay as the law asks, and the
      audit log its time, without network addresses after 90 days.
    </p>
    <H2 id="browser">In your browser</H2>
    <ul class="list">
      <li>
        Cookies: one for your session (7 days), one while you enter a second factor, and one by which we know this
        device again, so that strangers’ wrong passwords do not lock you out (180 days). All are needed for signing in;
        none follows you elsewhere.
      </li>
      <li>
        Storage: your choice of light or dark, the model of the preview, and until the tab is closed runs that are under
        way and a payment that is awaited.
      </li>
      <li>No analytics, no advertising, no fonts of others.</li>
      <li>
        No scripts of others, with one exception: where Turnstile is on, the pages for signing in, registering and a
        forgotten password load Cloudflare’s script, which looks at the browser to tell people from machines.
      </li>
    </ul>
    <H2 id="others">Who else is involved</H2>
    <Facts title="Who else is involved" rows={processors} head={['Who', 'For what', 'What they get']} />
    <p>
      Image nodes, their database and mails: <OperatorValue field="processors" />. Nodes see a photo in memory while
      they work on it, their database keeps job ids and outcomes for 7 days, the fingerprint of a file that broke its
      reader for one, and the ledger, and the mail service gets your address and the mail. Your webhooks go to the
      addresses that you gave. Some of these companies may process data outside your country.
    </p>
    <H2 id="rights">Your rights</H2>
    <ul class="list">
      <li>See and take with you: the portal shows and exports logs, usage, ledger and audit log.</li>
      <li>Correct: your mail address in the portal’s settings; write to us for what you cannot change there.</li>
      <li>
        Delete: single results and batches by the API, all data in the portal or by the API, the account in the portal,
        at once or within minutes. Cloudflare’s own recovery copies of databases end after 30 days.
      </li>
      <li>
        Ask and object: write to <OperatorValue field="contact" />. You may also complain to your data protection
        authority.
      </li>
    </ul>
  </LegalPage>
);
export default Privacy;
