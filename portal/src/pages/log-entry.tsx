/** One request of the log and its images, with fresh download links while the files are kept. */
import { useRoute } from 'preact-iso/router';
import type { LogDetail, LogImage } from '../../../shared/portal-api.ts';
import { Badge } from '../components/badge.tsx';
import { Button } from '../components/button.tsx';
import { Card } from '../components/card.tsx';
import { ComplianceList } from '../components/compliance-list.tsx';
import { CopyButton } from '../components/copy-button.tsx';
import { Empty } from '../components/empty.tsx';
import { Icon } from '../components/icon.tsx';
import { PageHead } from '../components/page-head.tsx';
import { Problem } from '../components/problem.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { StatusBadge } from '../components/status-badge.tsx';
import { duration, plural, timeText } from '../format.ts';
import { useQuery } from '../use-query.ts';

const tones = { completed: 'good', failed: 'bad', queued: undefined, processing: 'info' } as const;

const ImageCard = ({ image }: { image: LogImage }) => (
  <article class="card image-card">
    <div class="image-frame">
      {image.preview_url ? (
        <img
          src={image.preview_url}
          alt={`Result ${image.filename ?? image.image_id}`}
          loading="lazy"
          width={256}
          height={256}
        />
      ) : (
        <Icon name="image" size={28} />
      )}
    </div>
    <div class="image-facts">
      <div class="row between">
        <strong class="clip">{image.filename ?? image.image_id}</strong>
        <Badge tone={tones[image.status]}>{image.status}</Badge>
      </div>
      {image.error && (
        <p class="small bad-text">
          <code>{image.error.code}</code> {image.error.detail}
        </p>
      )}
      {image.compliance && <ComplianceList compliance={image.compliance} />}
      {image.download_url ? (
        <div class="row between">
          <a class="button compact" href={image.download_url} download={image.filename ?? undefined}>
            <Icon name="download" size={14} />
            Download {image.width && image.height ? `${image.width} × ${image.height}` : ''}
          </a>
          {image.expires_at && <span class="small muted">Link valid until {timeText(image.expires_at)}</span>}
        </div>
      ) : (
        image.status === 'completed' && <p class="small muted">The files have expired and were deleted.</p>
      )}
    </div>
  </article>
);

const LogEntry = () => {
  const requestId = useRoute().params['requestId'] ?? '';
  const { value, problem, reload } = useQuery<LogDetail>(`/logs/${requestId}`);
  return (
    <>
      <PageHead
        title="Request"
        lead={
          <span class="mono small">
            {requestId} <CopyButton text={requestId} label="Copy request id" />
          </span>
        }
      >
        <a class="button" href="/logs">
          All logs
        </a>
        <Button onClick={reload}>Refresh</Button>
      </PageHead>
      <Problem problem={problem} />
      {!value && !problem && <Skeleton height={14} />}
      {value && (
        <div class="stack">
          <Card>
            <dl class="facts">
              <dt>Status</dt>
              <dd>
                <StatusBadge status={value.entry.status} />{' '}
                {value.entry.error_code && <code>{value.entry.error_code}</code>}
              </dd>
              <dt>Request</dt>
              <dd class="mono">
                {value.entry.method} {value.entry.path}
              </dd>
              <dt>Time</dt>
              <dd>
                {timeText(value.entry.at)} <span class="muted">({value.entry.at})</span>
              </dd>
              <dt>Latency</dt>
              <dd>{duration(value.entry.duration_ms)}</dd>
              <dt>Images</dt>
              <dd>
                {value.entry.images}, {plural(value.entry.credits, 'credit')} charged
              </dd>
              {value.entry.batch_id && (
                <>
                  <dt>Batch</dt>
                  <dd>
                    <span class="mono">{value.entry.batch_id}</span>{' '}
                    {value.batch_status && <Badge>{value.batch_status.replaceAll('_', ' ')}</Badge>}
                  </dd>
                </>
              )}
              <dt>Key</dt>
              <dd>
                {value.entry.key_id ? <a href={`/logs?key=${value.entry.key_id}`}>Requests with this key</a> : '–'}
              </dd>
              {value.entry.error_code && (
                <>
                  <dt>Help</dt>
                  <dd>
                    <a href={`/docs/errors#${value.entry.error_code}`}>What this error means</a>
                  </dd>
                </>
              )}
            </dl>
          </Card>
          {value.images.length > 0 ? (
            <section class="stack tight" aria-label="Images">
              <h2>Images</h2>
              {value.images.map((image) => (
                <ImageCard key={image.image_id} image={image} />
              ))}
            </section>
          ) : (
            <Card flush>
              <Empty icon="image" title="No images">
                This request produced no images.
              </Empty>
            </Card>
          )}
        </div>
      )}
    </>
  );
};
export default LogEntry;
