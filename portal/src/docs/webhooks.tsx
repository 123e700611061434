import { limits } from '../../../shared/limits.ts';
import { Code } from '../components/code.tsx';
import { CodeTabs } from '../components/code-tabs.tsx';
import { verificationSamples } from '../samples/verification.ts';
import { DocHead, H2 } from './doc-head.tsx';

const Webhooks = () => (
  <>
    <DocHead title="Webhooks">
      Set <code>webhook_url</code> on a batch, and its final status is posted there when it ends. Or add an{' '}
      <a href="#endpoints">endpoint</a> once, and it hears of every batch, and of a low balance.
    </DocHead>
    <H2 id="delivery">A delivery</H2>
    <Code
      language="http"
      title="Request to your server"
      source={`POST /hooks/packshot HTTP/1.1
Content-Type: application/json
webhook-id: evt_01k9…
webhook-timestamp: 1795000000
webhook-signature: v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=

{"success": true, "batch_id": "bat_01k9…", "status": "completed", "images": [ … ]}`}
    />
    <p>
      The body is the <a href="/docs/batch#poll">status response</a>. Headers and signature follow the{' '}
      <strong>Standard Webhooks</strong> specification. All attempts of an event have the same <code>webhook-id</code>,
      so you can drop duplicates.
    </p>
    <H2 id="endpoints">Endpoints and events</H2>
    <p>
      Add up to {limits.webhookEndpoints.perAccountMax} endpoints on your <a href="/webhooks">webhooks page</a>. All are
      signed with the same secret. Each gets the events that you choose for it:
    </p>
    <ul class="list">
      <li>
        <code>batch.completed</code>: a batch has ended, whatever came of it, with the body and the{' '}
        <code>webhook-id</code> that its <code>webhook_url</code> would get. Batches by URL, and uploads with{' '}
        <code>Prefer: respond-async</code>; an upload that waits for its results sends none.
      </li>
      <li>
        <code>balance.low</code>: the balance fell to the level that you set under <a href="/billing">Billing</a>, once
        per crossing. Available and held credits count.
      </li>
    </ul>
    <Code
      language="json"
      title="balance.low"
      source={`{
  "id": "evt_01k9…",
  "type": "balance.low",
  "created_at": "2026-11-22T18:05:00.000Z",
  "data": {"account_id": "acc_01k9…", "balance": 30, "balance_usd": "$7.50", "level": 30}
}`}
    />
    <p>
      A body with a <code>type</code> is such an event; one without is the status of a batch. An endpoint has a mode: a{' '}
      <strong>live</strong> one hears of the batches of live keys, a <strong>test</strong> one of those of test keys and
      of nothing else. An endpoint hears of what happens while it is enabled, also of a batch that was under way when
      you added it. Where a batch's <code>webhook_url</code> is the address of an endpoint, that address gets the event
      once, on the batch's own schedule.
    </p>
    <p>
      Endpoints do not wait for each other; each gets up to {limits.webhookEndpoints.concurrencyMax} events at a time,
      in no fixed order. Up to {limits.webhookEndpoints.pendingMax.toLocaleString('en-US')} wait for an endpoint; beyond
      that the oldest are dropped. The status endpoint and your balance are always current.
    </p>
    <H2 id="disabled">When an endpoint is disabled</H2>
    <ul class="list">
      <li>410 disables it at once, except to a test event or to one that you resent.</li>
      <li>
        So does {limits.webhookEndpoints.failingMsMax / 86_400_000} days without a delivery that was accepted, with{' '}
        {limits.webhookEndpoints.failuresMin} attempts or more. After a day without an attempt, the count begins anew.
      </li>
      <li>
        You get one mail. What was on its way is dropped, and what happens while it is disabled is not sent later; the{' '}
        <a href="/webhooks">webhooks page</a> sends single deliveries again, and enables it.
      </li>
    </ul>
    <H2 id="verify">Verify the signature</H2>
    <p>
      Anyone can post to a public address. Before you trust a delivery, verify its raw body with the signing secret from
      your <a href="/webhooks">webhooks page</a>.
    </p>
    <CodeTabs label="Language" samples={verificationSamples} />
    <H2 id="deliveries">Look into deliveries</H2>
    <p>
      Your <a href="/webhooks">webhooks page</a> lists every attempt of the last 30 days (the newest 1,000) with its
      response, the time it took, and the body that was signed. <strong>Resend</strong> sends an ended batch's status
      again, with the same <code>webhook-id</code>, its links and signature made anew. A <strong>test event</strong>{' '}
      goes to an endpoint or any public address, signed like a real one; its body says <code>"test": true</code>, and
      nothing has happened.
    </p>
    <H2 id="local">While you develop</H2>
    <p>
      A local port needs no public address:{' '}
      <code>npx packshot webhooks listen --forward http://localhost:3000/hooks</code> forwards the end of each batch
      that a key of the same mode made, signed as above with a secret that the command prints. Events are noted from its
      start and for a day after, so a connection that breaks loses and repeats none.
    </p>
    <H2 id="retries">Responses and retries</H2>
    <ul class="list">
      <li>
        Any 2xx within {limits.webhook.timeoutMs / 1000} seconds counts as delivered. Respond first, process afterwards.
      </li>
      <li>
        Anything else is retried with growing delays: {limits.webhook.attemptsMax} attempts at most, the last one a day
        after the first. 410 stops the retries. The same for <code>webhook_url</code> and endpoints.
      </li>
      <li>The URL must be public; redirects to private addresses are not followed.</li>
      <li>
        A batch that ended because its key was revoked says so: <code>"end_reason": "key_revoked"</code>. Images that
        had not begun failed with <code>batch_stopped</code> and cost nothing; the others have no links, which end with
        their key.
      </li>
      <li>The status endpoint always has the current status; a webhook only saves you polling.</li>
    </ul>
  </>
);
export default Webhooks;
