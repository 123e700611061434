import { problem } from 'virtual:schemas';
import { type ErrorCode, type ErrorRow, errors } from '../../../shared/errors.ts';
import { Badge } from '../components/badge.tsx';
import { Code } from '../components/code.tsx';
import { ScrollRegion } from '../components/scroll-region.tsx';
import { Table } from '../components/table.tsx';
import { DocHead, H2 } from './doc-head.tsx';
import { Fields } from './fields.tsx';

/** Between our own machines only; callers of the API never get these. */
const internal: readonly ErrorCode[] = ['unauthorized_service'];
const rows = (Object.entries(errors) as [ErrorCode, ErrorRow][]).filter(([code]) => !internal.includes(code));

const CodeTable = ({ scope, caption }: { scope: ErrorRow['scope']; caption: string }) => (
  <ScrollRegion class="framed" label={caption}>
    <Table caption={caption} columns={['Code', 'Status', 'Meaning', 'Retry']}>
      {rows
        .filter(([, row]) => row.scope === scope)
        .map(([code, row]) => (
          <tr key={code} id={code}>
            <td>
              <code>{code}</code>
            </td>
            <td data-label="Status" class="num">
              {row.status}
            </td>
            <td data-label="Meaning">{row.title}</td>
            <td data-label="Retry">{row.retryable ? <Badge tone="good">yes</Badge> : <span class="muted">no</span>}</td>
          </tr>
        ))}
    </Table>
  </ScrollRegion>
);

const Errors = () => (
  <>
    <DocHead title="Errors">
      Every error is a problem document (RFC 9457) with a stable code. Nothing that fails is charged; the one answer
      that cannot promise that names the batch to look at.
    </DocHead>
    <Code
      language="json"
      title="402 application/problem+json"
      source={`{
  "type": "https://packshot.example/docs/errors#insufficient_credits",
  "title": "Not enough credits",
  "status": 402,
  "detail": "3 credits are needed, 2 are available",
  "code": "insufficient_credits",
  "request_id": "req_01k9…",
  "success": false,
  "retryable": false
}`}
    />
    <Fields
      schema={problem}
      notes={{
        type: 'Where the error is explained, an absolute URL.',
        title: 'The kind of error, in words.',
        status: 'Same as the HTTP status.',
        detail: 'What happened this time.',
        code: 'Stable: branch on this.',
        request_id: 'Quote it when you ask for help.',
        success: 'Always false.',
        retryable: 'Whether the same request may succeed later.',
        batch_id: 'With outcome_unknown: the batch that may be charged.',
        status_url: 'With outcome_unknown: where to see what became of it.',
        errors: 'One entry per field or file at fault: field, code, detail, and the remedy of a finding.',
      }}
      caption="Fields of a problem"
    />
    <p>
      With 429 and 503, <code>Retry-After</code> says how many seconds to wait.
    </p>
    <p>
      <code>key_spending_cap_reached</code>: a <a href="/docs/keys">key</a> may have a cap for a day;{' '}
      <code>resets_at</code> says when the next one begins.
    </p>
    <p>
      <code>test_quota_exceeded</code>: test keys make a number of images a day, whether or not these succeed; there are
      new ones at midnight UTC. A batch that is larger than a whole day's number gets <code>too_many_images</code>.
    </p>
    <p>
      <code>check_quota_exceeded</code>: <a href="/docs/findings">checks</a> are free, so an account has so many of them
      a minute and a day.
    </p>
    <p>
      <code>outcome_unknown</code> is rare: the batch was opened or may have been, and its state could not be learned in
      time. Ask <code>status_url</code> before you send the request again; 404 there means that nothing was charged.
      With an <code>Idempotency-Key</code> the same request may be sent again at once: it goes on with that batch, and{' '}
      <code>retryable</code> is true.
    </p>
    <H2 id="request">Request errors</H2>
    <CodeTable scope="request" caption="Errors of a whole request" />
    <H2 id="image">Image errors</H2>
    <p>
      Reported on the image, in <code>error.code</code>. An upload in which every image fails returns the first one's
      error. Codes of <a href="/docs/findings">findings</a> end an image only with <code>on_finding=fail</code>.
    </p>
    <p>
      <code>unsupported_heic</code>, where this service does not take HEIC: the playground converts HEIC photos where
      the browser reads them, as Safari does, and the command line where the machine has <code>sips</code> (macOS) or{' '}
      <code>heif-convert</code>. Elsewhere export them as JPEG.
    </p>
    <CodeTable scope="image" caption="Errors of one image" />
  </>
);
export default Errors;
