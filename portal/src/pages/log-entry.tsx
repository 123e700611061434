/** One request of the log: photo and result of each image, what was sent and answered, how to run it again, its webhooks. */
import { useRoute } from 'preact-iso/router';
import type { LogDetail } from '../../../shared/portal-api.ts';
import { PORTAL_API } from '../api.ts';
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
import { againOf, RequestAgain } from './log-entry/request-again.tsx';
import { RequestDeliveries } from './log-entry/request-deliveries.tsx';
import { RequestFacts } from './log-entry/request-facts.tsx';
import { Timing } from './log-entry/timing.tsx';

const json = (value: object): string => JSON.stringify(value, null, 2);

/** In the portal itself; what is not kept any more is not asked for. */
const photoOf = ({ entry, images }: LogDetail, index: number): string | undefined =>
  images[index]?.has_input ? `${PORTAL_API}/logs/${entry.request_id}/inputs/${index}` : undefined;

const responseTitle = ({ style, entry }: LogDetail): string => {
  if (entry.error_code !== null || style === null) return 'Response body';
  return style === 'batch' || entry.status === 202 ? 'Status of the batch, now' : 'Response body, with links of now';
};

const LogEntry = () => {
  const requestId = useRoute().params['requestId'] ?? '';
  const { value, problem, reload } = useQuery<LogDetail>(`/logs/${requestId}`);
  const again = value && againOf(value);
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
              {value.images.map((image, index) => (
                <ImageCard key={image.image_id} image={image} before={photoOf(value, index)}>
                  {image.timing && <Timing timing={image.timing} />}
                </ImageCard>
              ))}
            </section>
          ) : (
            <Card flush>
              <Empty icon="image" title="No images">
                This request made no images.
              </Empty>
            </Card>
          )}
          {again && <RequestAgain detail={value} again={again} />}
          <div class="stack bounded-code">
            {value.request && <Code title="Request" language="json" source={json(value.request)} />}
            {value.response && <Code title={responseTitle(value)} language="json" source={json(value.response)} />}
            {value.options && <Code title="Options, with the defaults" language="json" source={json(value.options)} />}
          </div>
          {value.entry.batch_id && value.images.length > 0 && <RequestDeliveries batchId={value.entry.batch_id} />}
        </div>
      )}
    </>
  );
};
export default LogEntry;
