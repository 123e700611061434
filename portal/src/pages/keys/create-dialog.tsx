import { useState } from 'preact/hooks';
import { limits } from '../../../../shared/limits.ts';
import type { KeyCreated, KeyRow } from '../../../../shared/portal-api.ts';
import { post } from '../../api.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Field } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { useCall } from '../../use-call.ts';
import { LimitFieldset } from './limit-fields.tsx';
import { fieldsOf, grantsOf } from './limits.ts';

type Mode = KeyRow['mode'];
const kinds = [
  ['live', 'Live', 'Charges one credit per delivered image.'],
  ['test', 'Test', 'Free. Results are small and carry a watermark; the limits are the same.'],
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

type Props = { onClose: () => void; onCreated: (made: KeyCreated) => void };

export const CreateDialog = ({ onClose, onCreated }: Props) => {
  const [label, setLabel] = useState('');
  const [mode, setMode] = useState<Mode>('live');
  const [fields, setFields] = useState(fieldsOf());
  const { busy, problem, run } = useCall();
  const submit = async (): Promise<void> => {
    // Of a test key, a cap that was typed before it was chosen means nothing.
    const grants = grantsOf(mode === 'test' ? { ...fields, cap: '' } : fields);
    const answer = await run(post<KeyCreated>('/keys', { label: label.trim(), mode, ...grants }));
    if (answer.ok) onCreated(answer.value);
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
      <Form id="create-key" onSubmit={submit} problem={problem}>
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
        <details class="more">
          <summary>Limits: permissions, credits a day, addresses, last day</summary>
          <div class="form">
            <LimitFieldset fields={fields} hasCap={mode === 'live'} onFields={setFields} />
          </div>
        </details>
      </Form>
    </Dialog>
  );
};
