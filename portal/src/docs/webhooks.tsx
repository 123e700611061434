import { limits } from '../../../shared/limits.ts';
import { Code } from '../components/code.tsx';
import { CodeTabs } from '../components/code-tabs.tsx';
import { verificationSamples } from '../samples/verification.ts';
import { DocHead, H2 } from './doc-head.tsx';

const Webhooks = () => (
  <>
    <DocHead title="Webhooks">
      Set <code>webhook_url</code> on a batch, and its final status is posted there when it ends.
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
      goes to any public address, signed like a real one; its body says <code>"test": true</code> and names a batch that
      does not exist.
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
        after the first. 410 stops the retries.
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
