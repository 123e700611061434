import { limits } from '../../../shared/limits.ts';
import { paths } from '../../../shared/paths.ts';
import { type ParameterName, removebgParameters, type Support } from '../../../shared/removebg/parameters.ts';
import { Badge } from '../components/badge.tsx';
import { Code } from '../components/code.tsx';
import { CodeTabs } from '../components/code-tabs.tsx';
import { ScrollRegion } from '../components/scroll-region.tsx';
import { Table } from '../components/table.tsx';
import { after, before, pypiSample } from '../samples/removebg.ts';
import { DocHead, H2, Next } from './doc-head.tsx';

const tones = { same: 'good', approximated: 'warn', refused: 'bad' } as const satisfies Record<Support, string>;
const rows = Object.entries(removebgParameters) as [ParameterName, (typeof removebgParameters)[ParameterName]][];

const Parameters = () => (
  <ScrollRegion class="framed" label="Parameters">
    <Table caption="Parameters of remove.bg and what becomes of each" columns={['Parameter', 'Here', 'Takes', 'How']}>
      {rows.map(([name, { support, takes, how }]) => (
        <tr key={name} id={name}>
          <td>
            <code>{name}</code>
          </td>
          <td data-label="Here">
            <Badge tone={tones[support]}>{support}</Badge>
          </td>
          <td data-label="Takes">{takes}</td>
          <td data-label="How">{how}</td>
        </tr>
      ))}
    </Table>
  </ScrollRegion>
);

const answers: readonly (readonly [string, Support, string])[] = [
  ['Body', 'same', 'The file; or {"data":{"result_b64":…}} where Accept prefers application/json.'],
  ['X-Width, X-Height', 'same', ''],
  ['X-Foreground-Top, -Left, -Width, -Height', 'same', 'The product’s box in the result.'],
  ['X-Type', 'approximated', 'Always product.'],
  ['X-Credits-Charged', 'approximated', 'Whole credits: 1, or 0 for a preview.'],
  ['X-RateLimit-Limit, -Remaining, -Reset', 'approximated', 'In requests, not in megapixels.'],
  ['Retry-After', 'same', 'With 429 and 503.'],
  ['errors[] of title, code, detail', 'same', 'A title says what is wrong with which parameter.'],
  ['400, 402, 403, 429', 'same', '503 where the service cannot take the image now.'],
  ['GET /v1.0/account', 'approximated', 'free_calls is the number of free previews a day, not what is left of it.'],
];

const Answers = () => (
  <ScrollRegion class="framed" label="Answers">
    <Table caption="Parts of an answer and how they compare" columns={['Part', 'Here', 'How']}>
      {answers.map(([part, support, how]) => (
        <tr key={part}>
          <td>{part}</td>
          <td data-label="Here">
            <Badge tone={tones[support]}>{support}</Badge>
          </td>
          <td data-label="How">{how}</td>
        </tr>
      ))}
    </Table>
  </ScrollRegion>
);

const Removebg = () => (
  <>
    <DocHead title="From remove.bg">
      <code>POST {paths.removebg}</code> takes the requests that remove.bg's API takes and answers as it does. Change
      the host and the key; the rest of your code stays. Made for product photos: people and animals are not looked for.
    </DocHead>
    <H2 id="before">Before</H2>
    <CodeTabs label="Language, before" samples={before()} />
    <H2 id="after">After</H2>
    <CodeTabs label="Language, after" samples={after()} />
    <p>
      The key is one of <a href="/keys">yours here</a>, in <code>X-Api-Key</code> as before. A request body may be{' '}
      <code>multipart/form-data</code>, form-encoded or JSON.
    </p>
    <H2 id="clients">Client libraries</H2>
    <p>
      remove.bg's command line (Go), npm's <code>remove.bg</code> and PyPI's <code>removebg</code> are run unchanged
      against this service in our tests. The first two have no setting for the host: put a proxy of your own in{' '}
      <code>HTTPS_PROXY</code> that answers for <code>api.remove.bg</code> (Node.js 24 also needs{' '}
      <code>NODE_USE_ENV_PROXY=1</code>), or make the call above. PyPI's reads its address from a variable:
    </p>
    <Code language="py" source={pypiSample()} />
    <H2 id="parameters">Parameters</H2>
    <p>
      Parameters that cannot be honoured are a 400 that says so; nothing is ignored. This table is what the service
      itself reads requests by.
    </p>
    <Parameters />
    <H2 id="answers">Answers</H2>
    <Answers />
    <H2 id="price">Price</H2>
    <p>
      One credit for each result of any size but preview. Previews (0.25 megapixels, the default size) cost nothing, up
      to {limits.testImages.perDay} free images a day (UTC) and account, test images included; beyond it they are
      answered with 429. A credit is taken when the result is stored, and only then. If the connection breaks while you
      read the file, the batch named in <code>X-Batch-Id</code> has a download for seven days; with an{' '}
      <code>Idempotency-Key</code> the same request gives the same file again.
    </p>
    <H2 id="checklist">Checklist</H2>
    <ol class="list">
      <li>
        Make a test key, change host and key, and send your usual photos: test results are small, marked and free.
      </li>
      <li>
        Look for parameters in the table that are approximated or refused; search your code for <code>type=</code> and{' '}
        <code>shadow_</code>.
      </li>
      <li>
        Set <code>size</code>: without it a result has 0.25 megapixels, as before.
      </li>
      <li>
        Send an <code>Idempotency-Key</code> with each request, so that a retry is not charged twice.
      </li>
      <li>
        Retry on 429 and 503 after <code>Retry-After</code> seconds.
      </li>
      <li>Buy a pack and change to a live key.</li>
    </ol>
    <H2 id="better">What is better here</H2>
    <ul class="list">
      <li>Nothing that fails is charged, and a repeated request with an Idempotency-Key is charged once.</li>
      <li>Credits do not expire.</li>
      <li>
        AVIF, TIFF, BMP, PSD, JPEG XL and GIF are read too, files may have {limits.upload.fileBytesMax / 1_000_000} MB,
        and a PNG has as many pixels as any other format.
      </li>
      <li>A white JPEG is exactly white (255, 255, 255) around the product, in every pixel of the decoded file.</li>
      <li>
        <a href="/docs/upload">The service's own API</a> makes marketplace main images: centred, framed and measured
        against the marketplace's rules.
      </li>
    </ul>
    <Next href="/docs/upload">Uploading files</Next>
  </>
);
export default Removebg;
