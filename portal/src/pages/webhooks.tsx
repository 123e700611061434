/** Endpoints, the secret that signs webhooks, their deliveries, and a test of a receiver. */
import { useState } from 'preact/hooks';
import type { WebhookEndpointList } from '../../../shared/portal-api.ts';
import { Card } from '../components/card.tsx';
import { CodeTabs } from '../components/code-tabs.tsx';
import { PageHead } from '../components/page-head.tsx';
import { verificationSamples } from '../samples/verification.ts';
import { useQuery } from '../use-query.ts';
import { DeliveriesCard } from '../webhooks/deliveries-card.tsx';
import { EndpointsCard } from './webhooks/endpoints-card.tsx';
import { SecretCard } from './webhooks/secret-card.tsx';
import { TestCard } from './webhooks/test-card.tsx';

const Webhooks = () => {
  const [tests, setTests] = useState(0);
  const endpoints = useQuery<WebhookEndpointList>('/webhook-endpoints');
  const isWaiting = !endpoints.value && !endpoints.problem;
  const onSent = (): void => setTests((before) => before + 1);
  return (
    <>
      <PageHead
        title="Webhooks"
        lead={<>Your server is told when a batch ends or the balance is low, signed as in Standard Webhooks.</>}
      />
      <div class="stack">
        <EndpointsCard query={endpoints} onSent={onSent} />
        {/* Nobody knows how many endpoints there are: what lies below would move when they come. */}
        {!isWaiting && (
          <>
            <SecretCard />
            <TestCard onSent={onSent} />
            <DeliveriesCard sent={tests} endpoints={endpoints.value?.endpoints ?? []} />
            <Card
              title="Verify a delivery"
              lead={
                <>
                  Any Standard Webhooks library can do this. See the <a href="/docs/webhooks">documentation</a>.
                </>
              }
              flush
            >
              <div class="card-body">
                <CodeTabs label="Language" samples={verificationSamples} />
              </div>
            </Card>
          </>
        )}
      </div>
    </>
  );
};
export default Webhooks;
