import { post } from '../../api.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Problem } from '../../components/problem.tsx';
import { useMe, useSession } from '../../session.tsx';
import { useCall } from '../../use-call.ts';

export const LeaveDialog = ({ onClose }: { onClose: () => void }) => {
  const { account, accounts } = useMe();
  const { choose } = useSession();
  const { busy, problem, run } = useCall();
  const next = accounts.find(({ account_id }) => account_id !== account.account_id);
  const leave = async (): Promise<void> => {
    if ((await run(post('/members/leave'))).ok && next) await choose(next.account_id);
  };
  return (
    <Dialog
      title="Leave this account?"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Stay</Button>
          <Button kind="danger primary" busy={busy} onClick={() => void leave()}>
            Leave
          </Button>
        </>
      }
    >
      <Problem problem={problem} />
      <p class="small">You lose access at once, in every session of yours. Only an owner can invite you again.</p>
    </Dialog>
  );
};
