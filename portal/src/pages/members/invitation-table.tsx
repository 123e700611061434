import { useState } from 'preact/hooks';
import type { InvitationRow } from '../../../../shared/portal-api.ts';
import { post } from '../../api.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Notice } from '../../components/notice.tsx';
import { Problem } from '../../components/problem.tsx';
import { Table } from '../../components/table.tsx';
import { dateText } from '../../format.ts';
import { useCall } from '../../use-call.ts';

type Props = { rows: readonly InvitationRow[]; onChange: () => void };

export const InvitationTable = ({ rows, onChange }: Props) => {
  const { busy, problem, run } = useCall();
  const [sentTo, setSentTo] = useState<string>();
  const change = async ({ invitation_id, email }: InvitationRow, what: 'resend' | 'withdraw'): Promise<void> => {
    const { ok } = await run(post(`/invitations/${invitation_id}/${what}`));
    setSentTo(ok && what === 'resend' ? email : undefined);
    onChange();
  };
  return (
    <>
      <Problem problem={problem} />
      {sentTo && <Notice tone="good">Sent to {sentTo} again. The link of before no longer works.</Notice>}
      <div class="scroll-x">
        <Table class="cards-on-phone" caption="Invitations" columns={['Email', 'Role', 'Until', { hidden: 'Actions' }]}>
          {rows.map((row) => (
            <tr key={row.invitation_id}>
              <td class="lead">{row.email}</td>
              <td data-label="Role">
                <span class="role-name">{row.role}</span>
              </td>
              <td data-label="Until" class="nowrap muted">
                {row.expired ? <Badge tone="warn">Expired</Badge> : dateText(row.expires_at)}
              </td>
              <td class="right bare">
                <span class="row tight member-actions">
                  <Button
                    kind="quiet"
                    compact
                    disabled={busy}
                    aria-label={`Send again to ${row.email}`}
                    onClick={() => void change(row, 'resend')}
                  >
                    Send again
                  </Button>
                  <Button
                    kind="quiet"
                    compact
                    class="danger"
                    disabled={busy}
                    aria-label={`Withdraw invitation of ${row.email}`}
                    onClick={() => void change(row, 'withdraw')}
                  >
                    Withdraw
                  </Button>
                </span>
              </td>
            </tr>
          ))}
        </Table>
      </div>
    </>
  );
};
