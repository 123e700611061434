/** The secret that signs webhooks: show it, rotate it. */
import { useState } from 'preact/hooks';
import type { WebhookSecret } from '../../../../shared/portal-api.ts';
import { get, post } from '../../api.ts';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { CopyField } from '../../components/copy-field.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Notice } from '../../components/notice.tsx';
import { Problem } from '../../components/problem.tsx';
import { useCall } from '../../use-call.ts';

type DialogProps = { busy: boolean; onClose: () => void; onRotate: () => void };

const RotateDialog = ({ busy, onClose, onRotate }: DialogProps) => (
  <Dialog
    title="Rotate the signing secret?"
    onClose={onClose}
    footer={
      <>
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="danger primary" busy={busy} onClick={onRotate}>
          Rotate secret
        </Button>
      </>
    }
  >
    <p class="small">
      For a day deliveries carry a signature of both secrets, so your server keeps accepting them until it has the new
      one. Rotating again within that day ends the old secret at once.
    </p>
  </Dialog>
);

const HiddenSecret = () => (
  <div class="secret">
    <span class="visually-hidden">Hidden secret</span>
    <code aria-hidden="true">whsec_••••••••••••••••••••••••••••••••</code>
  </div>
);

export const SecretCard = () => {
  const { busy, problem, run } = useCall();
  const [secret, setSecret] = useState<string>();
  const [rotating, setRotating] = useState(false);
  const [rotated, setRotated] = useState(false);
  const show = async (rotate: boolean): Promise<void> => {
    const answer = await run(
      rotate ? post<WebhookSecret>('/webhook-secret/rotate') : get<WebhookSecret>('/webhook-secret'),
    );
    setRotating(false);
    if (!answer.ok) return;
    setRotated(rotate);
    setSecret(answer.value.secret);
  };
  return (
    <Card title="Signing secret" lead="Your server verifies each delivery with it.">
      <div class="stack tight">
        <Problem problem={problem} />
        {rotated && <Notice tone="good">The new secret is in use. The old one signs deliveries too for a day.</Notice>}
        {secret ? <CopyField value={secret} label="Copy secret" /> : <HiddenSecret />}
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
      {rotating && <RotateDialog busy={busy} onClose={() => setRotating(false)} onRotate={() => void show(true)} />}
    </Card>
  );
};
