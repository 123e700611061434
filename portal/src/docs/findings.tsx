import { check, finding, review } from 'virtual:schemas';
import { findingTexts } from '../../../shared/finding-texts.ts';
import type { FindingCode } from '../../../shared/findings.ts';
import { limits } from '../../../shared/limits.ts';
import { paths } from '../../../shared/paths.ts';
import { CONFIDENCE_READY_MIN } from '../../../shared/review.ts';
import { Code } from '../components/code.tsx';
import { CodeTabs } from '../components/code-tabs.tsx';
import { checkSamples } from '../samples/check.ts';
import { DocHead, H2, Next } from './doc-head.tsx';
import { Fields } from './fields.tsx';

const ANSWER = `{
  "success": true,
  "request_id": "req_01k9…",
  "check_id": "chk_01k9…",
  "original_name": "photo.jpg",
  "marketplace": "amazon",
  "width": 1600,
  "height": 1200,
  "product_box": { "x": 412, "y": 0, "width": 780, "height": 1010 },
  "matte_confidence": 0.94,
  "findings": [
    {
      "code": "product_cropped",
      "severity": "required",
      "detail": "The product touches the upper edge of the photo along 212 px.",
      "box": { "x": 640, "y": 0, "width": 212, "height": 12 },
      "remedy": "Take the photo again with some background above the product.",
      "marketplaces": ["amazon", "walmart"]
    }
  ],
  "processing_ms": 410
}`;

const codes = Object.keys(findingTexts) as FindingCode[];

const Explained = ({ code }: { code: FindingCode }) => {
  const { title, meaning, remedy } = findingTexts[code];
  return (
    <section>
      <h3 id={code}>
        <a class="anchor" href={`#${code}`}>
          {title}
        </a>
      </h3>
      <p>
        <code>{code}</code>. {meaning}
      </p>
      <p>
        <strong>What to do:</strong> {remedy}
      </p>
    </section>
  );
};

const Findings = () => (
  <>
    <DocHead title="Checks and findings">
      <code>POST {paths.check}</code> says what a marketplace would refuse a photo for, before you pay for it. Free: no
      credit is held or charged, and nothing is kept.
    </DocHead>
    <CodeTabs label="Language" samples={checkSamples()} />
    <H2 id="request">Request</H2>
    <ul class="list">
      <li>
        One photo, in either style: a part named <code>files</code> of <code>multipart/form-data</code> with{' '}
        <a href="/docs/options">options</a> as form fields, or JSON with <code>input_url</code>, <code>filename</code>{' '}
        and <code>options</code>. The same formats and sizes as for an image.
      </li>
      <li>
        {limits.checks.perMinute} checks a minute and {limits.checks.perDay.toLocaleString('en-US')} a day (UTC) for an
        account, all of its live and test keys together, with or without credits. Each request that begins counts.
        Beyond it 429 <code>check_quota_exceeded</code>; <code>Retry-After</code> says when there are new ones, and{' '}
        <code>RateLimit</code> how many are left. At most {limits.checks.inFlightMax} of an account run at once.
      </li>
      <li>
        The photo is deleted with the answer. A check may be repeated at any time and takes no{' '}
        <code>Idempotency-Key</code>.
      </li>
    </ul>
    <H2 id="response">Response</H2>
    <Code source={ANSWER} language="json" title="200 OK" />
    <Fields
      schema={check}
      notes={{
        success: 'Always true.',
        request_id: 'Also in the Request-Id header. Quote it when you ask for help.',
        check_id: 'Identifies the check in our logs. Nothing can be fetched by it.',
        original_name: 'File name as sent.',
        height: 'As width.',
        product_box: 'Where the product is on the photo, px; null where none was found.',
        processing_ms: 'Time spent on the photo, whole ms.',
      }}
      caption="Fields of a check"
    />
    <H2 id="finding">A finding</H2>
    <p>
      Results of paid images carry the same list about the photo they were made from: in <code>results[]</code> of an
      upload, in <code>images[]</code> of a batch's status and of its <a href="/docs/webhooks">webhook</a>. The list is
      empty where nothing was found. With a finding the image is made and its file is measured all the same.
    </p>
    <Fields
      schema={finding}
      notes={{
        severity:
          'required: a listing is refused for it on one of the marketplaces; recommended: it is not; info: nothing to mend.',
        box: 'Where it is: x, y, width and height in px of the photo, turned upright; null where the whole photo is meant.',
      }}
      caption="Fields of a finding"
    />
    <H2 id="review">The verdict</H2>
    <p>
      Each result also says in one word whether it can be listed as it is: <code>review.verdict</code>, of what is
      measured and of nothing else. It is an addition to the specified fields, in uploads, batch statuses, webhooks and
      the request log; <code>amazon_compliant</code> stays as it is. With a test key it is the verdict on the full-size
      result that a live key gets.
    </p>
    <ul class="list">
      <li>
        <code>ready</code>, “Ready”: every required rule of every marketplace asked for is met, nothing was found about
        the photo, and <code>matte_confidence</code> is at least {CONFIDENCE_READY_MIN}. On photos that the model was
        not made on, cut-outs of that confidence were right in at least 95 of 100.
      </li>
      <li>
        <code>needs_a_look</code>, “Needs a look”: the confidence is lower, a required rule is not met (a transparent
        background on Amazon, say), or something was found that may be in order, such as separate pieces.
      </li>
      <li>
        <code>retake</code>, “Retake”: only another photo helps. The frame cuts the product off, or it is blurred or has
        too few pixels and a marketplace asked for refuses that.
      </li>
    </ul>
    <Fields
      schema={review}
      notes={{
        verdict: 'ready, needs_a_look or retake.',
        reasons:
          'The worst first, each with code, detail (what was measured) and remedy (what to do); empty with ready.',
      }}
      caption="Fields of review"
    />
    <H2 id="fail">Stop at a finding</H2>
    <p>
      With the option <code>on_finding=fail</code> an image with a finding of severity <code>required</code> for its
      marketplace is not made and not charged. It fails with the finding's code, and its <code>error</code> carries the
      remedy:
    </p>
    <Code
      language="json"
      title="A file that was stopped"
      source={`"error": {
  "code": "product_cropped",
  "detail": "The product touches the upper edge of the photo along 212 px.",
  "remedy": "${findingTexts.product_cropped.remedy}"
}`}
    />
    <H2 id="codes">Every finding</H2>
    {codes.map((code) => (
      <Explained key={code} code={code} />
    ))}
    <Next href="/docs/webhooks">Webhooks</Next>
  </>
);
export default Findings;
