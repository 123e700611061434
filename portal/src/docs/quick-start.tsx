import { PACK, PACKS, usdString } from '../../../shared/credits.ts';
import type { Size } from '../../../shared/imaging/raster.ts';
import { limits } from '../../../shared/limits.ts';
import { paths } from '../../../shared/paths.ts';
import { Code } from '../components/code.tsx';
import { CodeTabs } from '../components/code-tabs.tsx';
import { ScrollRegion } from '../components/scroll-region.tsx';
import { count } from '../format.ts';
import sample from '../landing/sample.json';
import { uploadPrograms } from '../samples/upload.ts';
import { DocHead, H2, Next } from './doc-head.tsx';
import { KeyLine } from './key-line.tsx';

const ANSWER = `{
  "success": true,
  "processed_count": 1,
  "cost_usd": 0.25,
  "remaining_api_credits_usd": 249.75,
  "results": [
    {
      "original_name": "photo.jpg",
      "clean_url": "https://…/api/v1/downloads/…/photo.jpg",
      "width": 2000,
      "height": 2000,
      "format": "JPG",
      "background": "PURE_WHITE_255",
      "amazon_compliant": true,
      …
    }
  ]
}`;

const size = ({ width, height }: Size): string => `${count(width)} × ${count(height)} px`;

/** Figures of the file itself, of which the pictures are smaller copies. */
const BeforeAfter = () => (
  <figure class="before-after">
    <img src="/samples/mug-photo.webp" alt="Before: a mug on a table" width={1400} height={1050} />
    <img src="/samples/mug-result.webp" alt="After: the mug on white" width={1000} height={1000} />
    <figcaption class="small muted">
      A photo of {size(sample.photo)}, and what came back: {size(sample.canvas)}, the mug {size(sample.product)} in its
      middle, everything around it exactly 255, 255, 255.
    </figcaption>
  </figure>
);

const smaller = PACKS.filter((pack) => pack !== PACK)
  .map(({ credits }) => credits.toLocaleString('en-US'))
  .join(' and ');

const QuickStart = () => (
  <>
    <DocHead title="Quick start">
      Send a product photo, get the marketplace main image: background removed, product centred, pure white canvas,
      product filling 85 % of it.
    </DocHead>
    <BeforeAfter />
    <H2 id="key">1. Get a key</H2>
    <p>
      <a href="/sign-up">Register</a>, <a href="/billing">buy the API pack</a> ({usdString(PACK.credits)} for{' '}
      {PACK.credits.toLocaleString('en-US')} credits, one credit per image; there are packs of {smaller} at the same
      price per credit), then <a href="/keys">generate a secret key</a>. A test key (<code>packshot_test_…</code>) costs
      nothing and needs no credits for up to {limits.testImages.perDay} images a day; its results are at most{' '}
      {limits.testResult.sideMax} px a side and carry a watermark, while <code>compliance</code>,{' '}
      <code>amazon_compliant</code> and <code>product_box</code> are those of the full-size result that a live key gets.
    </p>
    <KeyLine />
    <H2 id="send">2. Send a photo</H2>
    <CodeTabs label="Language" samples={uploadPrograms()} />
    <H2 id="answer">3. Read the response</H2>
    <Code source={ANSWER} language="json" title="200 OK" />
    <p>
      <code>clean_url</code> is a plain download link: it needs no key and is valid for 24 hours. The JSON never
      contains image bytes. Each result also has <code>compliance</code>: the marketplace's rules, measured on the
      finished file.
    </p>
    <H2 id="style">Upload or batch?</H2>
    <ScrollRegion class="framed" label="The two request styles">
      <table>
        <caption class="visually-hidden">The two request styles</caption>
        <thead>
          <tr>
            <td />
            <th>Upload</th>
            <th>Batch</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <td>You send</td>
            <td data-label="Upload">files, as multipart form data</td>
            <td data-label="Batch">URLs, as JSON</td>
          </tr>
          <tr>
            <td>You get</td>
            <td data-label="Upload">the results, in the same response</td>
            <td data-label="Batch">a batch id at once; then poll, or get a webhook</td>
          </tr>
          <tr>
            <td>Images</td>
            <td data-label="Upload">up to 20</td>
            <td data-label="Batch">up to 1,000</td>
          </tr>
          <tr>
            <td>Good for</td>
            <td data-label="Upload">single products, a user who waits</td>
            <td data-label="Batch">catalogues</td>
          </tr>
        </tbody>
      </table>
    </ScrollRegion>
    <p>Both use the same path, options and results; the content type decides.</p>
    <H2 id="agents">For agents</H2>
    <p>
      Every page of this documentation is also Markdown: add <code>.md</code> to its address.{' '}
      <a href="/llms.txt" target="_blank" rel="noopener">
        llms.txt
      </a>{' '}
      lists them, and{' '}
      <a href={paths.openapi} target="_blank" rel="noopener">
        openapi.json
      </a>{' '}
      describes the API: its errors, how to retry, and what to send to be charged once.
    </p>
    <Next href="/docs/upload">Uploading files</Next>
  </>
);
export default QuickStart;
