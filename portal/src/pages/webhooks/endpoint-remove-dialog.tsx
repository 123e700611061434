import type { WebhookEndpoint } from '../../../../shared/portal-api.ts';
import { post } from '../../api.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Problem } from '../../components/problem.tsx';
import { useCall } from '../../use-call.ts';

type Props = { endpoint: WebhookEndpoint; onClose: () => void; onDone: () => void };

export const EndpointRemoveDialog = ({ endpoint: { endpoint_id, url }, onClose, onDone }: Props) => {
  const { busy, problem, run } = useCall();
  const remove = async (): Promise<void> => {
    const answer = await run(post(`/webhook-endpoints/${endpoint_id}/remove`));
    if (answer.ok) onDone();
  };
  return (
    <Dialog
      title="Remove this endpoint?"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Keep endpoint</Button>
          <Button kind="danger primary" busy={busy} onClick={() => void remove()}>
            Remove endpoint
          </Button>
        </>
      }
    >
      <Problem problem={problem} />
      <p class="small">
        <span class="mono endpoint-url">{url}</span> gets no events any more, also none that are on their way. Its past
        deliveries stay in the log.
      </p>
    </Dialog>
  );
};
