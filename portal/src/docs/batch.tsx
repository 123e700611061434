import { batchCreated, batchStatus, completedImage } from 'virtual:schemas';
import { limits } from '../../../shared/limits.ts';
import { batchCsvPath, batchImagePath, batchPath, batchZipPath, paths, statusPath } from '../../../shared/paths.ts';
import { Code } from '../components/code.tsx';
import { CodeTabs } from '../components/code-tabs.tsx';
import { batchSamples } from '../samples/batch.ts';
import { deletionSamples } from '../samples/deletion.ts';
import { DocHead, H2, Next } from './doc-head.tsx';
import { responseNotes, resultNotes } from './field-notes.ts';
import { Fields } from './fields.tsx';

const Batch = () => (
  <>
    <DocHead title="Batches of URLs">
      <code>POST {paths.hero}</code> with JSON. The batch is accepted at once; then poll it, or get a webhook.
    </DocHead>
    <CodeTabs label="Language" samples={batchSamples()} />
    <H2 id="request">Request</H2>
    <Code
      language="json"
      title="Body"
      source={`{
  "images": [
    { "input_url": "https://shop.example/mug.jpg", "filename": "mug-main.jpg" },
    { "input_url": "https://shop.example/lamp.png" }
  ],
  "options": { "marketplace": "amazon" },
  "webhook_url": "https://shop.example/hooks/packshot"
}`}
    />
    <ul class="list">
      <li>
        <code>images</code>: 1 to {limits.batch.imagesMax.toLocaleString('en-US')} entries. <code>input_url</code> is
        required and must be reachable from the internet by http or https, without credentials and with at most{' '}
        {limits.inputUrl.redirectsMax} redirects. <code>filename</code> names the result.
      </li>
      <li>
        For one image, <code>{'{"input_url": "https://…"}'}</code> is enough.
      </li>
      <li>
        <code>options</code>: see <a href="/docs/options">Options</a>. <code>webhook_url</code>: see{' '}
        <a href="/docs/webhooks">Webhooks</a>.
      </li>
      <li>
        <code>input_authorization</code>, for stores whose photos are private: the value of the{' '}
        <code>Authorization</code> header with which every <code>input_url</code> is fetched, such as{' '}
        <code>Bearer …</code>, up to {limits.inputUrl.authorizationCharsMax.toLocaleString('en-US')} characters. All
        addresses must have the same host and port and be https. It is not sent on after a redirect elsewhere, is kept
        encrypted until the last image is decided, and appears in no response and no log. A{' '}
        <a href="/docs/findings">check</a> of an <code>input_url</code> takes it too.
      </li>
      <li>
        <code>Idempotency-Key</code> works as for uploads.
      </li>
    </ul>
    <H2 id="created">Response: 202 Accepted</H2>
    <Fields
      schema={batchCreated}
      notes={{
        ...responseNotes,
        charged_images: 'Images whose credits are held. The credit of an image that fails is returned.',
        status: 'Always queued at first.',
        images: 'image_id and status of each.',
        remaining_api_credits_usd: 'Balance after the hold, as a dollar string such as "$249.75".',
      }}
      caption="Fields of the creation response"
    />
    <H2 id="poll">Polling</H2>
    <p>
      <code>GET {statusPath('{batch_id}')}</code> with the key that created the batch; another key gets 404. With{' '}
      <code>?wait=N</code> (up to {limits.batch.statusWaitSecondsMax} seconds) the answer waits for the end. Until then{' '}
      <code>Retry-After</code> says when to ask again.
    </p>
    <Fields
      schema={batchStatus}
      notes={{
        ...responseNotes,
        success: 'False once every image has failed, else true; status and progress say what became of each.',
        charged_images:
          'Images charged, and those under way, whose credits are held. Failed images are not among them.',
        refunded_images: 'Images that failed; their credits were returned.',
        progress: 'Counts: total, queued, processing, completed, failed.',
        created_at: 'When the batch was accepted.',
        completed_at: 'When the last image ended; null until then.',
        end_reason: 'Only where the batch was ended early: key_revoked.',
        images: 'One per image, in the order sent.',
        remaining_api_credits_usd: 'Balance, as a dollar string.',
        status: 'queued, processing, then completed, completed_with_errors or failed.',
      }}
      caption="Fields of the status response"
    />
    <H2 id="image">A completed image</H2>
    <Fields
      schema={completedImage}
      notes={{
        ...resultNotes,
        status: 'completed',
        filename: 'Name of the finished file.',
        clean_download_url: 'The finished image. Absent once the files have expired.',
      }}
      caption="Fields of a completed image"
    />
    <p>
      A failed image carries <code>error</code> with <code>code</code> and <code>detail</code> instead. Each status
      response has fresh URLs for as long as the files are kept (7 days).
    </p>
    <H2 id="files">All results in one file</H2>
    <p>
      <code>GET {batchZipPath('{batch_id}')}</code> is a ZIP of every finished file of a batch or an upload, streamed
      and named after the photos; what was deleted or has expired is named in <code>not-included.txt</code>. A batch
      with many files comes in parts, <code>?part=2</code> and so on; the file name says of how many.{' '}
      <code>GET {batchCsvPath('{batch_id}')}</code> is a table with one row an image: verdict and reasons or error, what
      it cost, its file and a fresh link. Both for the key that made the batch.
    </p>
    <H2 id="delete">Deleting</H2>
    <p>
      <code>DELETE {batchPath('{batch_id}')}</code> deletes a batch or an upload,{' '}
      <code>DELETE {batchImagePath('{batch_id}', '{image_id}')}</code> one of its images, with the key that made it and
      once they have ended: input, every output, preview, names and addresses, stored responses and log lines. 204 says
      that it is done, 202 that it was begun and goes on. From then on the status is 410 <code>batch_deleted</code>, a
      link 410 <code>result_deleted</code>, and a request repeated with the same <code>Idempotency-Key</code> is told so
      and not charged again. Credits stay as they are. <code>DELETE {paths.accountData}</code>, or your{' '}
      <a href="/settings">settings</a>, do the same for all data of the account.
    </p>
    <CodeTabs label="Language, deletion" samples={deletionSamples()} />
    <p>
      How long results are kept without that: <code>PATCH {paths.accountRetention}</code> with{' '}
      <code>{'{"retention_days": 3}'}</code> and a key with the scope <code>admin</code>, 0 to{' '}
      {limits.retention.daysMax} days, for what is sent from then on; 0 is until the first complete download. On the
      shell: <code>packshot delete</code>, <code>packshot account --retention</code>.
    </p>
    <H2 id="money">Credits</H2>
    <p>
      A batch of n images holds n credits when it is accepted; without enough credits it is refused with 402 and nothing
      changes. Each delivered image is charged; the credit of each failed one is returned. An image is charged only if
      its download exists. <a href="/docs/credits">Credits and billing</a> says it for every case.
    </p>
    <Next href="/docs/findings">Checks and findings</Next>
  </>
);
export default Batch;
