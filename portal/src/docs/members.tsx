import { roles } from '../../../shared/roles.ts';
import { roleTexts } from '../components/not-allowed.tsx';
import { ScrollRegion } from '../components/scroll-region.tsx';
import { Table } from '../components/table.tsx';
import { DocHead, H2 } from './doc-head.tsx';

const Roles = () => (
  <ScrollRegion class="framed" label="Roles">
    <Table caption="Roles and what they may do" columns={['Role', 'May do']}>
      {roles.map((role) => (
        <tr key={role}>
          <td>
            <code>{role}</code>
          </td>
          <td data-label="May do">{roleTexts[role]}</td>
        </tr>
      ))}
    </Table>
  </ScrollRegion>
);

const Members = () => (
  <>
    <DocHead title="Members and roles">Several people, one account: who may do what, and how they come and go.</DocHead>
    <p>
      Each person signs in to the portal with an address and a password of their own. An account has up to 20 members,
      each in one role. Keys belong to the account, not to who made them.
    </p>
    <H2 id="roles">Roles</H2>
    <Roles />
    <p>
      Everybody sees the balance, use by day, and who the members are. Owners see besides who has a second factor, and
      the activity of the account, which names the member behind each event. There is always at least one owner. To make
      somebody an owner, to take that from one, or to leave as one needs your password.
    </p>
    <H2 id="invitations">Invitations</H2>
    <p>
      Owners invite by mail address on the page <a href="/members">Members</a>. The mailed link works once, for 7 days,
      for that address alone: who has a user signs in with it, who is new chooses a password. An account has at most 20
      open invitations; they can be sent again, which ends the link before, and withdrawn. What an owner has invited and
      nobody accepted yet is withdrawn when they are an owner no more.
    </p>
    <H2 id="removal">Removing and leaving</H2>
    <p>
      A member who is removed, or leaves, loses access with the next click, wherever they are signed in. What they have
      seen they have seen: the portal then lists the keys whose secret they were shown there, and those made or rolled
      with such a key, to revoke, or to <a href="/docs/keys#roll">roll</a>. The signing secret of webhooks may need
      replacing too, and webhook endpoints that they added go on getting events: look through both on the page{' '}
      <a href="/webhooks">Webhooks</a>. Links to results that they have work until they expire. The same holds for a
      developer or owner who becomes billing.
    </p>
    <H2 id="accounts">Several accounts</H2>
    <p>
      Whoever is a member of another account chooses at the top of the sidebar in which one to work; each session keeps
      its own choice. An account of your own is there for you from the start, and is opened when you first choose it.
      Deleting your own account deletes your user, who leaves all other accounts; an account needs another owner, or has
      to be deleted, before its only one can go.
    </p>
  </>
);
export default Members;
