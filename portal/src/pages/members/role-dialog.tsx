import { useState } from 'preact/hooks';
import type { MemberRow } from '../../../../shared/portal-api.ts';
import { roleMay } from '../../../../shared/roles.ts';
import { post } from '../../api.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Form } from '../../components/form.tsx';
import { Notice } from '../../components/notice.tsx';
import { useMe, useSession } from '../../session.tsx';
import { useCall } from '../../use-call.ts';
import { RoleChoice } from './role-choice.tsx';

export const RoleDialog = ({ row, onClose, onDone }: { row: MemberRow; onClose: () => void; onDone: () => void }) => {
  const { user } = useMe();
  const { refresh } = useSession();
  const { busy, problem, run } = useCall();
  const [role, setRole] = useState(row.role);
  const [password, setPassword] = useState('');
  const needsPassword = role !== row.role && [role, row.role].includes('owner');
  const change = async (): Promise<void> => {
    const body = { role, ...(needsPassword ? { password } : {}) };
    const answer = await run(post(`/members/${row.user_id}/role`, body));
    if (!answer.ok) return;
    onDone();
    if (row.user_id === user.id) await refresh();
  };
  return (
    <Dialog
      title={`Role of ${row.name}`}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form="role" busy={busy} disabled={role === row.role}>
            Change role
          </Button>
        </>
      }
    >
      <Form id="role" onSubmit={change} problem={problem}>
        <p class="small muted">{row.email}. It holds from their next click on.</p>
        <RoleChoice
          role={role}
          onRole={setRole}
          needsPassword={needsPassword}
          password={password}
          onPassword={setPassword}
        />
        {roleMay(row.role, 'keys') && !roleMay(role, 'keys') && (
          <Notice tone="warn">
            Keys whose secret they were shown go on working. The <a href="/activity">activity</a> says who made which.
          </Notice>
        )}
      </Form>
    </Dialog>
  );
};
