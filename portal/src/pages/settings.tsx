/** Profile, mail address, deletion. */
import { useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { Card } from '../components/card.tsx';
import { CopyButton } from '../components/copy-button.tsx';
import { PageHead } from '../components/page-head.tsx';
import { dateText } from '../format.ts';
import { useMay, useMe, useSession } from '../session.tsx';
import { AddressCard } from './settings/address-card.tsx';
import { DataCard } from './settings/data-card.tsx';
import { DeleteDialog } from './settings/delete-dialog.tsx';
import { RetentionCard } from './settings/retention-card.tsx';

const Settings = () => {
  const { user, account, role } = useMe();
  const may = useMay();
  const { signOut } = useSession();
  const [deleting, setDeleting] = useState(false);
  return (
    <>
      <PageHead title="Settings" />
      <div class="stack">
        <Card
          title="Account"
          action={
            <Button compact onClick={() => void signOut()}>
              Sign out
            </Button>
          }
        >
          <dl class="facts">
            <dt>Name</dt>
            <dd>{user.name}</dd>
            <dt>Email address</dt>
            <dd>{user.email}</dd>
            <dt>Account id</dt>
            <dd class="row tight">
              <span class="mono small">{account.account_id}</span>
              <CopyButton text={account.account_id} label="Copy account id" />
            </dd>
            <dt>Your role</dt>
            <dd>{role}</dd>
            <dt>Since</dt>
            <dd>{dateText(user.created_at)}</dd>
          </dl>
        </Card>
        <AddressCard />
        {may('data') && <RetentionCard />}
        {may('data') && <DataCard />}
        {may('account') ? (
          <Card title="Delete account" lead="This is permanent. You will see what you lose before anything is deleted.">
            <Button kind="danger" onClick={() => setDeleting(true)}>
              Delete account…
            </Button>
          </Card>
        ) : (
          <Card title="Delete your user">
            <p class="small">
              Choose your own account first: deleting it deletes your user, who leaves all other accounts. This one is
              deleted by an owner of it. <a href="/members">Leave it</a>
            </p>
          </Card>
        )}
      </div>
      {deleting && <DeleteDialog onClose={() => setDeleting(false)} />}
    </>
  );
};
export default Settings;
