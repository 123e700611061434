/** Deletes what was sent and made; the account and its ledger stay. */
import { useState } from 'preact/hooks';
import type { DataErasure } from '../../../../shared/portal-api.ts';
import { post } from '../../api.ts';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Form } from '../../components/form.tsx';
import { PasswordField } from '../../components/password-field.tsx';
import { dateText } from '../../format.ts';
import { useCall } from '../../use-call.ts';
import { useQuery } from '../../use-query.ts';

const lastText = ({ asked_at, done_at }: DataErasure): string =>
  done_at ? `Last deleted on ${dateText(done_at)}.` : asked_at ? 'Your data are being deleted now.' : '';

const DataDialog = ({ onClose, onDone }: { onClose: () => void; onDone: () => void }) => {
  const { busy, problem, run } = useCall();
  const [password, setPassword] = useState('');
  const remove = async (): Promise<void> => {
    if ((await run(post('/account/data/delete', { password }))).ok) onDone();
  };
  return (
    <Dialog
      title="Delete all your data?"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Keep data</Button>
          <Button kind="danger primary" type="submit" form="delete-data" busy={busy}>
            Delete data
          </Button>
        </>
      }
    >
      <Form id="delete-data" onSubmit={remove} problem={problem}>
        <p class="small">
          Photos, results, previews, file names and the request log of all keys are deleted for good, and their links
          stop. Credits, keys, receipts and the ledger’s amounts stay.
        </p>
        <PasswordField value={password} onInput={setPassword} />
      </Form>
    </Dialog>
  );
};

export const DataCard = () => {
  const [asking, setAsking] = useState(false);
  const last = useQuery<DataErasure>('/account/data');
  const close = (): void => setAsking(false);
  return (
    <Card
      title="Delete data"
      lead={`Everything you sent and got, now and not at the end of its life. ${last.value ? lastText(last.value) : ''}`}
    >
      <Button kind="danger" onClick={() => setAsking(true)}>
        Delete data…
      </Button>
      {asking && (
        <DataDialog
          onClose={close}
          onDone={() => {
            close();
            last.reload();
          }}
        />
      )}
    </Card>
  );
};
