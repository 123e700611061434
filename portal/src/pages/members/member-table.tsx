import type { MemberRow } from '../../../../shared/portal-api.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Table } from '../../components/table.tsx';
import { dateText } from '../../format.ts';

type Props = {
  rows: readonly MemberRow[];
  ownId: string;
  isOwner: boolean;
  act: (action: { kind: 'role' | 'remove'; row: MemberRow }) => void;
};

const Row = ({ row, isSelf, isOwner, act }: { row: MemberRow; isSelf: boolean } & Pick<Props, 'isOwner' | 'act'>) => (
  <tr>
    <td class="lead">
      <span class="row tight">
        {row.name} {isSelf && <Badge tone="good">You</Badge>}
      </span>
    </td>
    <td data-label="Email">{row.email}</td>
    <td data-label="Role">
      <span class="role-name">{row.role}</span>
    </td>
    {isOwner && <td data-label="Second factor">{row.two_factor ? 'On' : <Badge tone="warn">Off</Badge>}</td>}
    <td data-label="Since" class="nowrap muted">
      {dateText(row.joined_at)}
    </td>
    {isOwner && (
      <td class="right bare">
        <span class="row tight member-actions">
          <Button
            kind="quiet"
            compact
            aria-label={`Change role of ${row.email}`}
            onClick={() => act({ kind: 'role', row })}
          >
            Role
          </Button>
          {!isSelf && (
            <Button
              kind="quiet"
              compact
              class="danger"
              aria-label={`Remove ${row.email}`}
              onClick={() => act({ kind: 'remove', row })}
            >
              Remove
            </Button>
          )}
        </span>
      </td>
    )}
  </tr>
);

export const MemberTable = ({ rows, ownId, isOwner, act }: Props) => (
  <div class="scroll-x">
    <Table
      class="cards-on-phone"
      caption="Members"
      columns={['Name', 'Email', 'Role', isOwner && 'Second factor', 'Since', isOwner && { hidden: 'Actions' }]}
    >
      {rows.map((row) => (
        <Row key={row.user_id} row={row} isSelf={row.user_id === ownId} isOwner={isOwner} act={act} />
      ))}
    </Table>
  </div>
);
