import { useState } from 'preact/hooks';
import { limits } from '../../../../shared/limits.ts';
import type { KeyRow, PortalProblem } from '../../../../shared/portal-api.ts';
import { call } from '../../api.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Field } from '../../components/field.tsx';
import { Problem } from '../../components/problem.tsx';

export const RenameDialog = ({ row, onClose, onDone }: { row: KeyRow; onClose: () => void; onDone: () => void }) => {
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
