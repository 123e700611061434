import { PACKS, usdString } from '../../../shared/credits.ts';
import { limits } from '../../../shared/limits.ts';
import { paths } from '../../../shared/paths.ts';
import { Code } from '../components/code.tsx';
import { ScrollRegion } from '../components/scroll-region.tsx';
import { Table } from '../components/table.tsx';
import { count } from '../format.ts';
import { DocHead, H2 } from './doc-head.tsx';

const { levelMax, monthlyLimitUsdMax } = limits.topUp;

const ENDS: readonly (readonly [what: string, cost: string, why: string])[] = [
  ['An image is finished', '1 credit', 'Its file is stored and can be downloaded, for however many marketplaces.'],
  ['An image fails', 'nothing', 'Whatever the reason: the photo, the marketplace’s limits, or us.'],
  ['The request is refused', 'nothing', 'Nothing was held.'],
  ['The connection breaks', 'what was made', 'Repeat with the same Idempotency-Key: no second charge.'],
  ['The answer is outcome_unknown', 'what was made', 'Its status_url says how it ends.'],
  ['A result is downloaded again', 'nothing', 'As often as you like, for as long as it is kept.'],
  ['A photo is checked', 'nothing', 'It has a quota of its own.'],
  [
    'A test key makes an image',
    'nothing',
    `Up to ${limits.testImages.perDay} images a day (UTC), with a mark on them.`,
  ],
];

const Costs = () => (
  <ScrollRegion class="framed" label="What costs a credit">
    <Table caption="What costs a credit" columns={['What happens', 'Cost', 'Why']}>
      {ENDS.map(([what, cost, why]) => (
        <tr key={what}>
          <td>{what}</td>
          <td data-label="Cost" class="nowrap">
            {cost}
          </td>
          <td data-label="Why">{why}</td>
        </tr>
      ))}
    </Table>
  </ScrollRegion>
);

const account = `curl $PACKSHOT_URL${paths.account} -H "Authorization: Bearer $PACKSHOT_KEY"`;
const answered = `{
  "success": true,
  "available_credits": 996,
  "held_credits": 3,
  "spent_credits": 1,
  "granted_credits": 1000,
  "remaining_api_credits_usd": 249.00,
  "price_per_image_usd": 0.25,
  …
}`;

const Credits = () => (
  <>
    <DocHead title="Credits and billing">
      What an image costs, when its credit is taken, and how to keep the balance from running out.
    </DocHead>
    <p>
      The service is prepaid. One image costs one credit, {usdString(1)}; a credit costs the same in every pack:{' '}
      {PACKS.map(({ credits }) => `${count(credits)} for ${usdString(credits)}`).join(', ')}, plus tax where it applies.
      Credits do not expire. <a href="/billing">Billing</a> has the packs, a receipt with Stripe's invoice for each
      payment, every movement of credits as a list and as CSV, and spending by key.
    </p>
    <H2 id="charged">What is charged</H2>
    <p>
      A request first <em>holds</em> a credit for each of its images, all or none; without enough of them it is refused
      with 402 <a href="/docs/errors#insufficient_credits">insufficient_credits</a>. Each image then ends in one of two
      ways: its file is stored and its credit is spent, or it fails and its credit is available again. Nobody who was
      told that an image failed is charged for it.
    </p>
    <Costs />
    <p>
      A photo that is sent again is a new image. That goes for a touch-up with a matte of your own and for another
      marketplace later too: name all marketplaces in one request.
    </p>
    <H2 id="balance">The balance</H2>
    <Code language="sh" title="Ask for the balance" source={account} />
    <Code language="json" title="The balance" source={answered} />
    <p>
      Available, held and spent credits together are those granted, less what was refunded. Every response says what is
      left: in a header of uploads, <code>X-Credits-Remaining</code>, and in <code>remaining_api_credits_usd</code>. To
      bound what one key may spend on a day, give it a <a href="/docs/keys#cap">spending cap</a>.
    </p>
    <H2 id="low">A low balance</H2>
    <p>
      Choose a level under <a href="/billing">Billing</a>. Owners and billing members get one mail when the balance
      falls to it, and your <a href="/docs/webhooks#endpoints">webhook endpoints</a> the event <code>balance.low</code>,
      again only after it has been above. Held credits still count as there.
    </p>
    <H2 id="top-up">Automatic top-up</H2>
    <ul class="list">
      <li>
        Off until an owner or billing member saves a card and switches it on, with a level (up to {count(levelMax)}{' '}
        credits), a pack and a monthly limit in dollars before tax (up to {count(monthlyLimitUsdMax)}).
      </li>
      <li>
        It buys the pack once when <em>available</em> credits are at or below the level, however many requests run at
        once, and again only after those credits are in the account. A saved card is charged at once where credits are
        that low when it is switched on.
      </li>
      <li>The limit is by UTC month. A pack that would pass it is not bought, and you get a mail.</li>
      <li>
        A card that is declined, expired or asks for you pauses it; another card goes on. A refund pauses it until you
        switch it on again, a dispute switches it off. Each is one mail, and nothing is charged meanwhile.
      </li>
      <li>
        Requests do not wait for it: a level that is too low for your traffic can still end in 402. Credits are there
        once Stripe has confirmed the payment.
      </li>
    </ul>
    <H2 id="refunds">Refunds and disputes</H2>
    <p>
      Money that goes back takes its credits along, a part of it the same part of them. If they were spent already, the
      balance is below zero, and images are refused until it is not. A refund that your bank refuses, or a dispute that
      ends without the money going back, returns them.
    </p>
    <H2 id="proof">Check us</H2>
    <p>
      Every movement of credits is a line that is never changed: what, when, for which batch or payment, and the balance
      after it. All of them can be exported as CSV at any time. A scheduled run compares each payment with the ledger
      whenever it has changed, and alerts an operator if they differ.
    </p>
  </>
);
export default Credits;
