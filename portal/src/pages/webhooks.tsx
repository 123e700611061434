/** The secret that signs webhooks: show it, rotate it. */
import { useState } from 'preact/hooks';
import type { PortalProblem, WebhookSecret } from '../../../shared/portal-api.ts';
import { get, post } from '../api.ts';
import { Button } from '../components/button.tsx';
import { Card } from '../components/card.tsx';
import { CodeTabs } from '../components/code-tabs.tsx';
import { CopyField } from '../components/copy-field.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Notice } from '../components/notice.tsx';
import { PageHead } from '../components/page-head.tsx';
import { Problem } from '../components/problem.tsx';
import { verificationSamples } from '../samples/verification.ts';

const Webhooks = () => {
  const [secret, setSecret] = useState<string>();
  const [rotating, setRotating] = useState(false);
  const [rotated, setRotated] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<PortalProblem>();
  const show = async (rotate: boolean): Promise<void> => {
    setBusy(true);
    const answer = rotate
      ? await post<WebhookSecret>('/webhook-secret/rotate')
      : await get<WebhookSecret>('/webhook-secret');
    setBusy(false);
    setRotating(false);
    if (!answer.ok) return setProblem(answer.problem);
    setRotated(rotate);
    setSecret(answer.value.secret);
  };
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
        <Card title="Signing secret" lead="Your server verifies each delivery with it.">
          <div class="stack tight">
            <Problem problem={problem} />
            {rotated && (
              <Notice tone="good">
                The new secret is in use. Your server rejects deliveries until it has the new one.
              </Notice>
            )}
            {secret ? (
              <CopyField value={secret} label="Copy secret" />
            ) : (
              <div class="secret">
                <span class="visually-hidden">Hidden secret</span>
                <code aria-hidden="true">whsec_••••••••••••••••••••••••••••••••</code>
              </div>
            )}
            <div class="row">
              {secret ? (
                <Button onClick={() => setSecret(undefined)}>Hide</Button>
              ) : (
                <Button busy={busy} onClick={() => void show(false)}>
                  Show secret
                </Button>
              )}
              <Button kind="danger" onClick={() => setRotating(true)}>
                Rotate
              </Button>
            </div>
          </div>
        </Card>
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
      {rotating && (
        <Dialog
          title="Rotate the signing secret?"
          onClose={() => setRotating(false)}
          footer={
            <>
              <Button onClick={() => setRotating(false)}>Cancel</Button>
              <Button kind="danger primary" busy={busy} onClick={() => void show(true)}>
                Rotate secret
              </Button>
            </>
          }
        >
          <p class="small">
            The old secret stops working at once. Your server rejects deliveries until it has the new one; rejected
            deliveries are retried for a day.
          </p>
        </Dialog>
      )}
    </>
  );
};
export default Webhooks;
