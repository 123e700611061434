import { useId, useState } from 'preact/hooks';
import type { KeyCreated, KeyRow } from '../../../../shared/portal-api.ts';
import { post } from '../../api.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Form } from '../../components/form.tsx';
import { useCall } from '../../use-call.ts';

const overlaps = [
  [0, 'Not at all: it ends now'],
  [1, '1 hour'],
  [24, '1 day'],
  [72, '3 days'],
  [168, '7 days'],
] as const;

type Props = { row: KeyRow; onClose: () => void; onRolled: (rolled: KeyCreated) => void };

export const RollDialog = ({ row, onClose, onRolled }: Props) => {
  const [hours, setHours] = useState(24);
  const { busy, problem, run } = useCall();
  const id = useId();
  const submit = async (): Promise<void> => {
    const answer = await run(post<KeyCreated>(`/keys/${row.key_id}/roll`, { overlap_hours: hours }));
    if (answer.ok) onRolled(answer.value);
  };
  return (
    <Dialog
      title={`Roll “${row.label}”?`}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form="roll-key" busy={busy}>
            Roll key
          </Button>
        </>
      }
    >
      <Form id="roll-key" onSubmit={submit} problem={problem}>
        <p class="small">
          The key gets a new secret. Its batches, its log and its limits stay. Choose no overlap if the secret has
          leaked.
        </p>
        <div class="field">
          <label for={id}>The secret in use still works for</label>
          <select id={id} class="input" value={hours} onChange={(e) => setHours(Number(e.currentTarget.value))}>
            {overlaps.map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </div>
      </Form>
    </Dialog>
  );
};
