import { useState } from 'preact/hooks';
import { limits } from '../../../../shared/limits.ts';
import type { KeyRow } from '../../../../shared/portal-api.ts';
import { call } from '../../api.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Field } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { useCall } from '../../use-call.ts';

export const RenameDialog = ({ row, onClose, onDone }: { row: KeyRow; onClose: () => void; onDone: () => void }) => {
  const [label, setLabel] = useState(row.label);
  const { busy, problem, run } = useCall();
  const submit = async (): Promise<void> => {
    const answer = await run(call('PATCH', `/keys/${row.key_id}`, { label: label.trim() }));
    if (answer.ok) onDone();
  };
  return (
    <Dialog
      title="Rename key"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form="rename-key" busy={busy}>
            Save
          </Button>
        </>
      }
    >
      <Form id="rename-key" onSubmit={submit} problem={problem}>
        <Field
          label="Label"
          required
          maxLength={limits.keys.labelCharsMax}
          value={label}
          onInput={(e) => setLabel(e.currentTarget.value)}
        />
      </Form>
    </Dialog>
  );
};
