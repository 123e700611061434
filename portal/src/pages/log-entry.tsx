/** One request of the log and its images, with fresh download links while the files are kept. */
import { useRoute } from 'preact-iso/router';
import type { LogDetail } from '../../../shared/portal-api.ts';
import { Button } from '../components/button.tsx';
import { Card } from '../components/card.tsx';
import { Code } from '../components/code.tsx';
import { CopyButton } from '../components/copy-button.tsx';
import { Empty } from '../components/empty.tsx';
import { ImageCard } from '../components/image-card.tsx';
import { PageHead } from '../components/page-head.tsx';
import { Problem } from '../components/problem.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { useQuery } from '../use-query.ts';
import { RequestDeliveries } from './log-entry/request-deliveries.tsx';
import { RequestFacts } from './log-entry/request-facts.tsx';

const json = (value: object): string => JSON.stringify(value, null, 2);

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
                This request produced no images; the log keeps no file names of it.
              </Empty>
            </Card>
          )}
          {value.response && <Code title="Response body" language="json" source={json(value.response)} />}
          {value.entry.batch_id && value.images.length > 0 && <RequestDeliveries batchId={value.entry.batch_id} />}
          {value.options && <Code title="Options, with the defaults" language="json" source={json(value.options)} />}
        </div>
      )}
    </>
  );
};
export default LogEntry;
