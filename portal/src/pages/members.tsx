/** Who may act for the account, and as what; invitations; leaving. */
import { useState } from 'preact/hooks';
import type { InvitationRow, MemberRow } from '../../../shared/portal-api.ts';
import { Button } from '../components/button.tsx';
import { Card } from '../components/card.tsx';
import { Icon } from '../components/icon.tsx';
import { PageHead } from '../components/page-head.tsx';
import { Problem } from '../components/problem.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { useMay, useMe } from '../session.tsx';
import { useQuery } from '../use-query.ts';
import { InvitationTable } from './members/invitation-table.tsx';
import { InviteDialog } from './members/invite-dialog.tsx';
import { LeaveDialog } from './members/leave-dialog.tsx';
import { MemberTable } from './members/member-table.tsx';
import { RemoveDialog } from './members/remove-dialog.tsx';
import { RoleDialog } from './members/role-dialog.tsx';

type Action = { kind: 'invite' | 'leave' } | { kind: 'role' | 'remove'; row: MemberRow };

const Members = () => {
  const { accounts, user } = useMe();
  const isOwner = useMay()('members');
  const members = useQuery<{ members: readonly MemberRow[] }>('/members');
  const invitations = useQuery<{ invitations: readonly InvitationRow[] }>(isOwner ? '/invitations' : undefined);
  const [action, act] = useState<Action>();
  const close = (): void => act(undefined);
  const done = (): void => {
    close();
    members.reload();
    invitations.reload();
  };
  const rows = members.value?.members;
  const mayLeave = accounts.length > 1;
  return (
    <>
      <PageHead title="Members" lead="Who may act for this account. Each signs in with their own password.">
        {isOwner && (
          <Button kind="primary" onClick={() => act({ kind: 'invite' })}>
            <Icon name="plus" size={14} />
            Invite
          </Button>
        )}
      </PageHead>
      <div class="stack">
        <Problem problem={members.problem} retry={members.reload} />
        {!rows && !members.problem && <Skeleton height={12} />}
        {rows && (
          <Card flush>
            <MemberTable rows={rows} ownId={user.id} isOwner={isOwner} act={act} />
          </Card>
        )}
        <Problem problem={invitations.problem} retry={invitations.reload} />
        {invitations.value && invitations.value.invitations.length > 0 && (
          <Card title="Invitations" lead="A link works once, for 7 days, and for its address alone." flush>
            <InvitationTable rows={invitations.value.invitations} onChange={invitations.reload} />
          </Card>
        )}
        {mayLeave && (
          <Card title="Leave this account" lead="Your user and your other accounts stay as they are.">
            <Button onClick={() => act({ kind: 'leave' })}>Leave…</Button>
          </Card>
        )}
      </div>
      {action?.kind === 'invite' && <InviteDialog onClose={close} onDone={done} />}
      {action?.kind === 'role' && <RoleDialog row={action.row} onClose={close} onDone={done} />}
      {action?.kind === 'remove' && <RemoveDialog row={action.row} onClose={close} onDone={done} />}
      {action?.kind === 'leave' && <LeaveDialog onClose={close} />}
    </>
  );
};
export default Members;
