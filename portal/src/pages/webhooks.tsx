/** The secret that signs webhooks: shown on request, rotated at will. */
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
            Give a batch a <code>webhook_url</code>, and its final status is posted there, signed by Standard Webhooks.
          </>
        }
      />
      <div class="stack">
        <Card title="Signing secret" lead="Your server checks each delivery with it.">
          <div class="stack tight">
            <Problem problem={problem} />
            {rotated && (
              <Notice tone="good">
                A new secret is in use. Deliveries signed with the old one fail your check from now on.
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
          title="Check a delivery"
          lead={
            <>
              Any Standard Webhooks library does it. More in the <a href="/docs/webhooks">documentation</a>.
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
            The old secret stops at once: deliveries are refused by your server until it knows the new one. Refused
            deliveries are tried again for a day.
          </p>
        </Dialog>
      )}
    </>
  );
};
export default Webhooks;
