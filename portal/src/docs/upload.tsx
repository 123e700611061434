import { compliance, uploadFailedResult, uploadResponse, uploadResult } from 'virtual:schemas';
import { limits } from '../../../shared/limits.ts';
import { paths } from '../../../shared/paths.ts';
import { Code } from '../components/code.tsx';
import { CodeTabs } from '../components/code-tabs.tsx';
import { matteProgram, uploadPrograms } from '../samples/upload.ts';
import { DocHead, H2, Next } from './doc-head.tsx';
import { responseNotes, resultNotes } from './field-notes.ts';
import { Fields } from './fields.tsx';

const Upload = () => (
  <>
    <DocHead title="Uploading files">
      <code>POST {paths.hero}</code> with <code>multipart/form-data</code>. The response arrives when every image is
      done.
    </DocHead>
    <CodeTabs label="Language" samples={uploadPrograms('mug.jpg', { marketplace: 'amazon' })} />
    <H2 id="request">Request</H2>
    <ul class="list">
      <li>
        Each image is a part named <code>files</code> with a file name. Up to {limits.upload.filesMax} files of{' '}
        {limits.upload.fileBytesMax / 1e6} MB each, {limits.upload.bodyBytesMax / 1e6} MB together; JPEG, PNG, WebP,
        AVIF, TIFF, BMP, PSD (its merged picture), JPEG XL or GIF (first frame).
      </li>
      <li>
        <a href="/docs/options">Options</a> are additional form fields, such as <code>marketplace</code> or{' '}
        <code>canvas</code>. They apply to all files.
      </li>
      <li>
        <code>matte</code> (optional, with one file): what is product in the photo,{' '}
        <a href="/docs/upload#matte">in place of the model</a>.
      </li>
      <li>
        <code>Authorization: Bearer packshot_live_…</code> on every request.
      </li>
      <li>
        <code>Idempotency-Key</code> (optional, up to {limits.idempotency.keyCharsMax} characters): for 24 hours, the
        same request with the same key gets the first response again and is charged once. Send one whenever you might
        retry.
      </li>
      <li>
        <code>Prefer: respond-async</code> (optional): responds with 202 at once, like a <a href="/docs/batch">batch</a>
        ; files that are no image are listed in <code>refused</code>.
      </li>
    </ul>
    <H2 id="response">Response</H2>
    <Fields schema={uploadResponse} notes={responseNotes} caption="Fields of the upload response" />
    <H2 id="result">A result</H2>
    <Fields schema={uploadResult} notes={resultNotes} caption="Fields of a result" />
    <p>
      <code>compliance</code>:
    </p>
    <Fields
      schema={compliance}
      notes={{
        marketplace: 'Whose rules were checked.',
        passed: 'True when every required rule is met.',
        checks: 'Each with rule, severity, required, measured, passed.',
      }}
      caption="Fields of compliance"
    />
    <H2 id="partial">When one file fails</H2>
    <p>
      The status is still 200, with <code>success: false</code>. Every file is listed in order, failed ones with their
      error, and only delivered ones are charged. When every file fails, the response is the first one's{' '}
      <a href="/docs/errors">error</a>.
    </p>
    <Fields schema={uploadFailedResult} notes={resultNotes} caption="Fields of a failed result" />
    <Code
      language="json"
      title="A failed file"
      source={`{
  "original_name": "wall.jpg",
  "image_id": "img_…_0001",
  "batch_id": "bat_…",
  "error": { "code": "no_product_found", "detail": "No product was found in the image" }
}`}
    />
    <H2 id="matte">Your own matte</H2>
    <p>
      Where the cut-out is not what you want, send what is product yourself: the part <code>matte</code>, a PNG with 8
      bits a sample, white (255) on black (0), or with the matte as its alpha channel. It has the shape of the photo as
      it is shown, after its EXIF orientation, and any size from {limits.image.sideMin} pixels a side up to the photo's;
      what is smaller is enlarged.
    </p>
    <Code language="sh" title="One photo with its matte" source={matteProgram()} />
    <p>
      The model is not asked, and nothing is added or dropped: what is 255 stays, what is 0 goes. Between them, along
      the edge, the photo's colours decide; below 8 % is background and above 92 % product. Framing, shadow, compliance
      and findings are as always. <code>matte_confidence</code> is 1, because nothing was guessed: it does not say that
      your matte is right. Of a photo that brings its own cut-out, the matte can only take away. An image costs one
      credit, as any other. A matte that does not fit fails with{' '}
      <a href="/docs/errors#invalid_matte">
        <code>invalid_matte</code>
      </a>
      , an empty one with <code>no_product_found</code>; both cost nothing. Not with <code>region</code>, with several
      files, or in batches of URLs.
    </p>
    <H2 id="headers">Response headers</H2>
    <ul class="list">
      <li>
        <code>Request-Id</code>, <code>X-Credits-Charged</code>, <code>X-Credits-Remaining</code>
      </li>
      <li>
        <code>RateLimit</code> and <code>RateLimit-Policy</code>; <code>Retry-After</code> with 429 and 503
      </li>
    </ul>
    <p>
      To know beforehand what a marketplace would refuse a photo for, <a href="/docs/findings">check it first, free</a>.
    </p>
    <Next href="/docs/batch">Batches of URLs</Next>
  </>
);
export default Upload;
