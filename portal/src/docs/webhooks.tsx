import { limits } from '../../../shared/limits.ts';
import { Code } from '../components/code.tsx';
import { CodeTabs } from '../components/code-tabs.tsx';
import { verificationSamples } from '../samples/verification.ts';
import { DocHead, H2 } from './doc-head.tsx';

const Webhooks = () => (
  <>
    <DocHead title="Webhooks">
      Give a batch a <code>webhook_url</code>, and its final status is posted there once it has ended.
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
      <strong>Standard Webhooks</strong> specification. The same event keeps its <code>webhook-id</code> over all
      attempts, so you can drop doubles.
    </p>
    <H2 id="verify">Check the signature</H2>
    <p>
      Anyone can post to a public address. Check each delivery with the signing secret of your{' '}
      <a href="/webhooks">webhooks page</a>, over the raw body, before you trust it.
    </p>
    <CodeTabs label="Language" samples={verificationSamples} />
    <H2 id="retries">Answers and retries</H2>
    <ul class="list">
      <li>
        Any 2xx within {limits.webhook.timeoutMs / 1000} seconds is taken as delivered. Answer first, work afterwards.
      </li>
      <li>
        Anything else is tried again for a day, with growing pauses: {limits.webhook.attemptsMax} attempts at most, the
        last one a day after the first. 410 stops it.
      </li>
      <li>Redirects are not followed to private addresses; the URL must be public.</li>
      <li>A webhook is a convenience: the status endpoint always knows.</li>
    </ul>
  </>
);
export default Webhooks;
