/** Secret keys: generate (shown once), label, follow through the log, revoke. */
import { useState } from 'preact/hooks';
import { limits } from '../../../shared/limits.ts';
import type { KeyCreated, KeyRow, PortalProblem } from '../../../shared/portal-api.ts';
import { call, post } from '../api.ts';
import { ago, dateText } from '../format.ts';
import { forgetKey, holdKey } from '../held-keys.ts';
import { CopyField } from '../ui/copy.tsx';
import { Icon } from '../ui/icons.tsx';
import { Badge, Button, Card, Dialog, Empty, Field, Notice, PageHead, Problem, Skeleton } from '../ui/kit.tsx';
import { useQuery } from '../use-query.ts';

const CreateDialog = ({ onClose, onCreated }: { onClose: () => void; onCreated: (made: KeyCreated) => void }) => {
  const [label, setLabel] = useState('');
  const [mode, setMode] = useState<'live' | 'test'>('live');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<PortalProblem>();
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    const answer = await post<KeyCreated>('/keys', { label: label.trim(), mode });
    setBusy(false);
    if (answer.ok) onCreated(answer.value);
    else setProblem(answer.problem);
  };
  return (
    <Dialog
      title="Generate a secret key"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form="create-key" busy={busy}>
            Generate key
          </Button>
        </>
      }
    >
      <form id="create-key" class="form" onSubmit={submit}>
        <Problem problem={problem} />
        <Field
          label="Label"
          name="label"
          placeholder="Production catalogue"
          required
          maxLength={limits.keys.labelCharsMax}
          value={label}
          onInput={(e) => setLabel(e.currentTarget.value)}
          hint="Where the key is used. You can change it later."
        />
        <fieldset class="choices">
          <legend class="label">Kind</legend>
          {(
            [
              ['live', 'Live', 'Charges one credit per delivered image.'],
              ['test', 'Test', 'Free. Results carry a visible mark; the limits are the same.'],
            ] as const
          ).map(([value, name, text]) => (
            <label class="choice" key={value}>
              <input type="radio" name="mode" value={value} checked={mode === value} onChange={() => setMode(value)} />
              <span>
                <strong>{name}</strong>
                <span class="hint">{text}</span>
              </span>
            </label>
          ))}
        </fieldset>
      </form>
    </Dialog>
  );
};

const SecretDialog = ({ made, onClose }: { made: KeyCreated; onClose: () => void }) => (
  <Dialog
    title="Your new key"
    onClose={onClose}
    dismissible={false}
    footer={
      <Button kind="primary" onClick={onClose}>
        I have stored it
      </Button>
    }
  >
    <p class="small muted">
      Copy it now and keep it where secrets are kept. We store only a hash, so it cannot be shown again.
    </p>
    <CopyField value={made.secret} label="Copy key" />
    <Notice tone="warn">
      Whoever has this key can spend your credits. Keep it on your server; never put it into a web page or an app.
    </Notice>
  </Dialog>
);

const RevokeDialog = ({ row, onClose, onDone }: { row: KeyRow; onClose: () => void; onDone: () => void }) => {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<PortalProblem>();
  const revoke = async (): Promise<void> => {
    setBusy(true);
    const answer = await post(`/keys/${row.key_id}/revoke`);
    setBusy(false);
    if (!answer.ok) return setProblem(answer.problem);
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
        The next request with <code>{row.masked}</code> is refused with 401. Images already accepted are finished. This
        cannot be undone.
      </p>
    </Dialog>
  );
};

const RenameDialog = ({ row, onClose, onDone }: { row: KeyRow; onClose: () => void; onDone: () => void }) => {
  const [label, setLabel] = useState(row.label);
  const [problem, setProblem] = useState<PortalProblem>();
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const answer = await call('PATCH', `/keys/${row.key_id}`, { label: label.trim() });
    if (answer.ok) onDone();
    else setProblem(answer.problem);
  };
  return (
    <Dialog
      title="Rename key"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form="rename-key">
            Save
          </Button>
        </>
      }
    >
      <form id="rename-key" class="form" onSubmit={submit}>
        <Problem problem={problem} />
        <Field
          label="Label"
          required
          maxLength={limits.keys.labelCharsMax}
          value={label}
          onInput={(e) => setLabel(e.currentTarget.value)}
        />
      </form>
    </Dialog>
  );
};

type Action = { kind: 'create' } | { kind: 'made'; made: KeyCreated } | { kind: 'revoke' | 'rename'; row: KeyRow };

const KeyTable = ({ rows, act }: { rows: readonly KeyRow[]; act: (action: Action) => void }) => (
  <div class="table-wrap">
    <table class="cards-on-phone">
      <caption class="visually-hidden">Secret keys</caption>
      <thead>
        <tr>
          <th>Label</th>
          <th>Key</th>
          <th>Last used</th>
          <th>Created</th>
          <th>
            <span class="visually-hidden">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.key_id} class={row.revoked_at ? 'faded' : ''}>
            <td class="lead">
              <span class="row tight">
                {row.label} {row.mode === 'test' && <Badge tone="info">Test</Badge>}{' '}
                {row.revoked_at && <Badge>Revoked</Badge>}
              </span>
            </td>
            <td data-label="Key">
              <span class="mono nowrap">{row.masked}</span>
            </td>
            <td data-label="Last used" class="nowrap muted">
              {row.last_used_at ? ago(row.last_used_at) : 'Never'}
            </td>
            <td data-label="Created" class="nowrap muted">
              {dateText(row.created_at)}
            </td>
            <td class="right bare">
              <span class="row tight end nowrap">
                <a class="button quiet compact" href={`/logs?key=${row.key_id}`} aria-label={`Logs of ${row.label}`}>
                  Logs
                </a>
                {!row.revoked_at && (
                  <>
                    <Button
                      kind="quiet"
                      compact
                      aria-label={`Rename ${row.label}`}
                      onClick={() => act({ kind: 'rename', row })}
                    >
                      Rename
                    </Button>
                    <Button
                      kind="quiet"
                      compact
                      class="danger"
                      aria-label={`Revoke ${row.label}`}
                      onClick={() => act({ kind: 'revoke', row })}
                    >
                      Revoke
                    </Button>
                  </>
                )}
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

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
        lead="Secret keys authenticate your servers. Each has its own log and can be revoked at any time."
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
      {action?.kind === 'rename' && <RenameDialog row={action.row} onClose={close} onDone={done} />}
    </>
  );
};
export default Keys;
