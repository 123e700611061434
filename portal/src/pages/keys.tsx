/** Secret keys: generate (shown once), limit, roll, follow in the log, revoke. */
import { useState } from 'preact/hooks';
import type { KeyCreated, KeyRow } from '../../../shared/portal-api.ts';
import { Button } from '../components/button.tsx';
import { Card } from '../components/card.tsx';
import { Empty } from '../components/empty.tsx';
import { Icon } from '../components/icon.tsx';
import { PageHead } from '../components/page-head.tsx';
import { Problem } from '../components/problem.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { holdKey } from '../held-keys.ts';
import { useQuery } from '../use-query.ts';
import { CreateDialog } from './keys/create-dialog.tsx';
import { EditDialog } from './keys/edit-dialog.tsx';
import { KeyTable } from './keys/key-table.tsx';
import { RevokeDialog } from './keys/revoke-dialog.tsx';
import { RollDialog } from './keys/roll-dialog.tsx';
import { SecretDialog } from './keys/secret-dialog.tsx';

type Action =
  | { kind: 'create' }
  | { kind: 'made'; made: KeyCreated }
  | { kind: 'revoke' | 'edit' | 'roll'; row: KeyRow };

const Keys = () => {
  const { value, problem, reload } = useQuery<{ keys: readonly KeyRow[] }>('/keys');
  const [action, act] = useState<Action>();
  const close = (): void => act(undefined);
  const done = (): void => {
    close();
    reload();
  };
  const created = (made: KeyCreated): void => {
    // Kept in this tab's memory only, so that the playground can offer it.
    holdKey({ keyId: made.key.key_id, label: made.key.label, mode: made.key.mode, secret: made.secret });
    act({ kind: 'made', made });
    reload();
  };
  const create = (
    <Button kind="primary" onClick={() => act({ kind: 'create' })}>
      <Icon name="plus" size={14} />
      Generate key
    </Button>
  );
  return (
    <>
      <PageHead
        title="API keys"
        lead="Secret keys authenticate your servers. Each has its own log and limits, and can be revoked at any time."
      >
        {create}
      </PageHead>
      <Problem problem={problem} retry={reload} />
      {!value && !problem && <Skeleton height={14} />}
      {value && (
        <Card flush>
          {value.keys.length === 0 ? (
            <Empty icon="keys" title="No keys yet" action={create}>
              Generate a test key to try the API for free, or a live key once you have bought credits.
            </Empty>
          ) : (
            <KeyTable rows={value.keys} act={act} />
          )}
        </Card>
      )}
      {action?.kind === 'create' && <CreateDialog onClose={close} onCreated={created} />}
      {action?.kind === 'made' && <SecretDialog made={action.made} onClose={close} />}
      {action?.kind === 'revoke' && <RevokeDialog row={action.row} onClose={close} onDone={done} />}
      {action?.kind === 'edit' && <EditDialog row={action.row} onClose={close} onDone={done} />}
      {action?.kind === 'roll' && <RollDialog row={action.row} onClose={close} onRolled={created} />}
    </>
  );
};
export default Keys;
