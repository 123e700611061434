import { useState } from 'preact/hooks';
import { limits } from '../../../../shared/limits.ts';
import type { KeyRow } from '../../../../shared/portal-api.ts';
import { call } from '../../api.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Field } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { useCall } from '../../use-call.ts';
import { LimitFieldset } from './limit-fields.tsx';
import { fieldsOf, grantsOf } from './limits.ts';

export const EditDialog = ({ row, onClose, onDone }: { row: KeyRow; onClose: () => void; onDone: () => void }) => {
  const [label, setLabel] = useState(row.label);
  const [fields, setFields] = useState(fieldsOf(row));
  const { busy, problem, run } = useCall();
  const submit = async (): Promise<void> => {
    const change = { label: label.trim(), ...grantsOf(fields, row) };
    const answer = await run(call('PATCH', `/keys/${row.key_id}`, change));
    if (answer.ok) onDone();
  };
  return (
    <Dialog
      title="Edit key"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form="edit-key" busy={busy}>
            Save
          </Button>
        </>
      }
    >
      <Form id="edit-key" onSubmit={submit} problem={problem}>
        <Field
          label="Label"
          required
          maxLength={limits.keys.labelCharsMax}
          value={label}
          onInput={(e) => setLabel(e.currentTarget.value)}
        />
        <LimitFieldset fields={fields} hasCap={row.mode === 'live'} onFields={setFields} />
      </Form>
    </Dialog>
  );
};
