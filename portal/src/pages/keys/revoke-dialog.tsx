import type { KeyRow } from '../../../../shared/portal-api.ts';
import { post } from '../../api.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Problem } from '../../components/problem.tsx';
import { forgetKey } from '../../held-keys.ts';
import { useCall } from '../../use-call.ts';

export const RevokeDialog = ({ row, onClose, onDone }: { row: KeyRow; onClose: () => void; onDone: () => void }) => {
  const { busy, problem, run } = useCall();
  const revoke = async (): Promise<void> => {
    const answer = await run(post(`/keys/${row.key_id}/revoke`));
    if (!answer.ok) return;
    forgetKey(row.key_id);
    onDone();
  };
  return (
    <Dialog
      title={`Revoke “${row.label}”?`}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Keep key</Button>
          <Button kind="danger primary" busy={busy} onClick={() => void revoke()}>
            Revoke key
          </Button>
        </>
      }
    >
      <Problem problem={problem} />
      <p class="small">
        Requests with <code>{row.masked}</code> are refused with 401 from now on, its open batches end, and its links
        stop within a minute. Images not begun yet cost nothing; finished ones stay in your log. This cannot be undone.
      </p>
    </Dialog>
  );
};
