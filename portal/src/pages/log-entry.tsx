/** One request of the log and its images, with fresh download links while the files are kept. */
import { useRoute } from 'preact-iso/router';
import type { LogDetail } from '../../../shared/portal-api.ts';
import { Button } from '../components/button.tsx';
import { Card } from '../components/card.tsx';
import { CopyButton } from '../components/copy-button.tsx';
import { Empty } from '../components/empty.tsx';
import { PageHead } from '../components/page-head.tsx';
import { Problem } from '../components/problem.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { useQuery } from '../use-query.ts';
import { ImageCard } from './log-entry/image-card.tsx';
import { RequestFacts } from './log-entry/request-facts.tsx';

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
            <RequestFacts detail={value} />
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
