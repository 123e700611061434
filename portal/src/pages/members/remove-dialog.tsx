/** Removing a member, and then what that does not end: keys whose secret they were shown. */
import { useState } from 'preact/hooks';
import type { KeyRow, MemberRow } from '../../../../shared/portal-api.ts';
import { post } from '../../api.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Form } from '../../components/form.tsx';
import { Notice } from '../../components/notice.tsx';
import { PasswordField } from '../../components/password-field.tsx';
import { Problem } from '../../components/problem.tsx';
import { forgetKey } from '../../held-keys.ts';
import { useCall } from '../../use-call.ts';
import { useQuery } from '../../use-query.ts';

type Props = { row: MemberRow; onClose: () => void; onDone: () => void };

export const RemoveDialog = (props: Props) => {
  const [isRemoved, setRemoved] = useState(false);
  // Asked before: afterwards they are no member.
  const { value } = useQuery<{ keys: readonly KeyRow[] }>(isRemoved ? undefined : `/members/${props.row.user_id}/keys`);
  const [keys, setKeys] = useState<readonly KeyRow[]>();
  const removed = (left: readonly KeyRow[]): void => {
    setKeys(left);
    setRemoved(true);
  };
  return isRemoved ? (
    <KeysLeft row={props.row} keys={keys ?? []} onClose={props.onDone} />
  ) : (
    <Confirm {...props} keys={value?.keys.length} onRemoved={removed} />
  );
};

type ConfirmProps = Props & { keys: number | undefined; onRemoved: (keys: readonly KeyRow[]) => void };

const Confirm = ({ row, keys, onClose, onRemoved }: ConfirmProps) => {
  const { busy, problem, run } = useCall();
  const [password, setPassword] = useState('');
  const remove = async (): Promise<void> => {
    const body = row.role === 'owner' ? { password } : {};
    const answer = await run(post<{ keys: readonly KeyRow[] }>(`/members/${row.user_id}/remove`, body));
    if (answer.ok) onRemoved(answer.value.keys);
  };
  return (
    <Dialog
      title={`Remove ${row.name}?`}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Keep member</Button>
          <Button kind="danger primary" type="submit" form="remove-member" busy={busy}>
            Remove member
          </Button>
        </>
      }
    >
      <Form id="remove-member" onSubmit={remove} problem={problem}>
        <p class="small">
          {row.email} can no longer act for this account, from their next click on, wherever they are signed in. Their
          own user stays.
        </p>
        {keys !== undefined && keys > 0 && (
          <Notice tone="warn">
            {keys === 1 ? 'A key' : `${keys} keys`} whose secret they were shown will go on working; the next step
            offers to revoke {keys === 1 ? 'it' : 'them'}.
          </Notice>
        )}
        {row.role === 'owner' && <PasswordField value={password} onInput={setPassword} />}
      </Form>
    </Dialog>
  );
};

const KeysLeft = ({ row, keys, onClose }: { row: MemberRow; keys: readonly KeyRow[]; onClose: () => void }) => {
  const { busy, problem, run } = useCall();
  const [revoked, setRevoked] = useState<readonly string[]>([]);
  const revoke = async ({ key_id }: KeyRow): Promise<void> => {
    if (!(await run(post(`/keys/${key_id}/revoke`))).ok) return;
    forgetKey(key_id);
    setRevoked([...revoked, key_id]);
  };
  return (
    <Dialog title={`${row.name} was removed`} onClose={onClose} footer={<Button onClick={onClose}>Done</Button>}>
      <div class="form">
        <Problem problem={problem} />
        {keys.length === 0 ? (
          <p class="small">No key that works is on record whose secret they were shown.</p>
        ) : (
          <>
            <p class="small">
              They could see the secrets of these keys, which go on working. Revoke them, or roll them on the page{' '}
              <a href="/keys">API keys</a> so that your servers go on.
            </p>
            <ul class="plain member-keys">
              {keys.map((key) => (
                <li class="row" key={key.key_id}>
                  <span class="grow">
                    {key.label} <code class="small">{key.masked}</code>
                  </span>
                  {revoked.includes(key.key_id) ? (
                    <span class="small muted">Revoked</span>
                  ) : (
                    <Button
                      compact
                      kind="danger"
                      busy={busy}
                      aria-label={`Revoke ${key.label}`}
                      onClick={() => void revoke(key)}
                    >
                      Revoke
                    </Button>
                  )}
                </li>
              ))}
            </ul>
          </>
        )}
        <p class="small muted">
          They may also have seen the signing secret of your <a href="/webhooks">webhooks</a>, and keys that were shared
          with them outside of this portal. Endpoints that they added there go on getting events.
        </p>
      </div>
    </Dialog>
  );
};
