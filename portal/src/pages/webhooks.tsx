/** The secret that signs webhooks, their deliveries, and a test of a receiver. */
import { useState } from 'preact/hooks';
import { Card } from '../components/card.tsx';
import { CodeTabs } from '../components/code-tabs.tsx';
import { PageHead } from '../components/page-head.tsx';
import { verificationSamples } from '../samples/verification.ts';
import { DeliveriesCard } from '../webhooks/deliveries-card.tsx';
import { SecretCard } from './webhooks/secret-card.tsx';
import { TestCard } from './webhooks/test-card.tsx';

const Webhooks = () => {
  const [tests, setTests] = useState(0);
  return (
    <>
      <PageHead
        title="Webhooks"
        lead={
          <>
            Set <code>webhook_url</code> on a batch, and its final status is posted there, signed as in Standard
            Webhooks.
          </>
        }
      />
      <div class="stack">
        <SecretCard />
        <TestCard onSent={() => setTests(tests + 1)} />
        <DeliveriesCard sent={tests} />
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
      </div>
    </>
  );
};
export default Webhooks;
