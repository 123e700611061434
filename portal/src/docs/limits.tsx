import { limits } from '../../../shared/limits.ts';
import { paths } from '../../../shared/paths.ts';
import { ScrollRegion } from '../components/scroll-region.tsx';
import { Table } from '../components/table.tsx';
import { DocHead, H2 } from './doc-head.tsx';

const n = (value: number): string => value.toLocaleString('en-US');
const MB = 1_000_000;
const HOUR = 3_600_000;

const groups: readonly { title: string; id: string; rows: readonly (readonly [string, string, string])[] }[] = [
  {
    title: 'Upload',
    id: 'upload',
    rows: [
      ['Files per upload', n(limits.upload.filesMax), 'too_many_files'],
      ['Size of a file', `${limits.upload.fileBytesMax / MB} MB`, 'file_too_large'],
      ['Size of an upload', `${limits.upload.bodyBytesMax / MB} MB`, 'body_too_large'],
      ['Duration of an upload', `${limits.upload.waitMsMax / 1000} s`, 'deadline_exceeded'],
      ['Uploads running at once', n(limits.rate.uploadsInFlightMax), 'rate_limited'],
    ],
  },
  {
    title: 'Batch',
    id: 'batch',
    rows: [
      ['Images per batch', n(limits.batch.imagesMax), 'too_many_images'],
      ['Files per batch: images times marketplaces', n(limits.batch.filesMax), 'too_many_images'],
      ['Size of the request body', `${n(limits.batch.bodyBytesMax / 1024 / 1024)} MiB`, 'body_too_large'],
      ['Time limit of an image', `${limits.batch.deadlineMs / HOUR} h`, 'deadline_exceeded'],
      ['Redirects of an input_url', n(limits.inputUrl.redirectsMax), 'url_too_many_redirects'],
      ['Characters of input_authorization', n(limits.inputUrl.authorizationCharsMax), 'invalid_request'],
      ['Fetching an input_url', `${limits.inputUrl.totalMsMax / 1000} s`, 'url_timeout'],
    ],
  },
  {
    title: 'Checks',
    id: 'checks',
    rows: [
      ['Checks per minute', n(limits.checks.perMinute), 'check_quota_exceeded'],
      ['Checks per day (UTC)', n(limits.checks.perDay), 'check_quota_exceeded'],
      ['Checks running at once', n(limits.checks.inFlightMax), 'rate_limited'],
      ['Duration of a check', `${limits.checks.waitMsMax / 1000} s`, 'deadline_exceeded'],
    ],
  },
  {
    title: 'Images',
    id: 'images',
    rows: [
      [
        'Pixels of an input',
        `${limits.image.pixelsMax / MB} megapixels; of a JPEG XL ${limits.image.jxlPixelsMax / MB}`,
        'image_too_large',
      ],
      ['Smallest side of an input', `${limits.image.sideMin} px`, 'image_too_small'],
      [
        'Canvas',
        `${n(limits.canvas.sideMin)}–${n(limits.canvas.sideMax)} px a side, at most ${limits.canvas.pixelsMax / MB} megapixels`,
        'invalid_options',
      ],
      ['Marketplaces of an image', n(limits.marketplaces.perImageMax), 'invalid_options'],
      ['Longer side of a test key’s result', `${n(limits.testResult.sideMax)} px`, ''],
      ['Fill', `${limits.fill.min}–${limits.fill.max}`, 'invalid_options'],
    ],
  },
  {
    title: 'Account',
    id: 'account',
    rows: [
      ['Requests per minute', `${n(limits.rate.requestsPerWindow)}, bursts of ${n(limits.rate.burst)}`, 'rate_limited'],
      [
        'Images of test keys and free previews of /v1.0/removebg per day (UTC), failed ones included',
        n(limits.testImages.perDay),
        'test_quota_exceeded',
      ],
      ['Keys that can be used', n(limits.keys.perAccountMax), 'too_many_keys'],
      ['Addresses and ranges of a key', n(limits.keys.allowedIpsMax), 'invalid_request'],
      ['Credits of a key per day (UTC)', 'as the key has it', 'key_spending_cap_reached'],
      ['Overlap of a key that is rolled', `${limits.keys.overlapMsMax / 24 / HOUR} days`, 'invalid_request'],
      ['Request log', `${limits.requestLog.keptMs / 24 / HOUR} days`, ''],
    ],
  },
  {
    title: 'Retention',
    id: 'retention',
    rows: [
      ['Download link', `${limits.downloads.urlMs / HOUR} h`, 'download_expired'],
      [
        'Download link, after its key was revoked',
        `${limits.downloads.deadWithinMs / 1000} s at most`,
        'download_revoked',
      ],
      [
        'Results',
        `${limits.retention.daysDefault} days, or as the account’s settings or PATCH ${paths.accountRetention} say: 1 to ${limits.retention.daysMax} days`,
        '',
      ],
      ['Inputs', `${limits.downloads.inputObjectMs / HOUR} h`, ''],
      [
        'Results, where nothing is kept after delivery',
        `until a GET without Range has sent each output of the image to its last byte, ${limits.retention.undeliveredMs / HOUR} h at most`,
        'result_delivered',
      ],
      ['Inputs, where nothing is kept after delivery', 'until their image is decided', ''],
      ['Photo of a check', 'until its answer', ''],
      ['Idempotency-Key', `${limits.idempotency.keptMs / HOUR} h`, ''],
    ],
  },
];

const Limits = () => (
  <>
    <DocHead title="Limits">The limits, and the error you get beyond each.</DocHead>
    {groups.map(({ title, id, rows }) => (
      <section key={id}>
        <H2 id={id}>{title}</H2>
        <ScrollRegion class="framed" label={title}>
          <Table class="limits" caption={title} columns={['What', 'Limit', 'Error']}>
            {rows.map(([what, limit, error]) => (
              <tr key={what}>
                <td>{what}</td>
                <td data-label="Limit" class="num">
                  {limit}
                </td>
                <td data-label="Error">
                  {error ? (
                    <a href={`/docs/errors#${error}`}>
                      <code>{error}</code>
                    </a>
                  ) : (
                    <span class="muted">–</span>
                  )}
                </td>
              </tr>
            ))}
          </Table>
        </ScrollRegion>
      </section>
    ))}
  </>
);
export default Limits;
