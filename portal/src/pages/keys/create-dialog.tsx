import { useState } from 'preact/hooks';
import { limits } from '../../../../shared/limits.ts';
import type { KeyCreated, KeyRow, PortalProblem } from '../../../../shared/portal-api.ts';
import { post } from '../../api.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Field } from '../../components/field.tsx';
import { Problem } from '../../components/problem.tsx';

type Mode = KeyRow['mode'];
const kinds = [
  ['live', 'Live', 'Charges one credit per delivered image.'],
  ['test', 'Test', 'Free. Results carry a watermark; the limits are the same.'],
] as const;

const KindChoice = ({ mode, onMode }: { mode: Mode; onMode: (mode: Mode) => void }) => (
  <fieldset class="choices">
    <legend class="label">Kind</legend>
    {kinds.map(([value, name, text]) => (
      <label class="choice" key={value}>
        <input type="radio" name="mode" value={value} checked={mode === value} onChange={() => onMode(value)} />
        <span>
          <strong>{name}</strong>
          <span class="hint">{text}</span>
        </span>
      </label>
    ))}
  </fieldset>
);

export const CreateDialog = ({
  onClose,
  onCreated,
}: {
  onClose: () => void;
  onCreated: (made: KeyCreated) => void;
}) => {
  const [label, setLabel] = useState('');
  const [mode, setMode] = useState<Mode>('live');
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
        <KindChoice mode={mode} onMode={setMode} />
      </form>
    </Dialog>
  );
};
