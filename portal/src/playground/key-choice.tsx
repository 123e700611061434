/** Which key the real run uses: one made in this tab, one that is pasted, or a new one. Secrets stay in memory. */
import { useEffect, useState } from 'preact/hooks';
import { parseApiKey } from '../../../shared/api-key.ts';
import type { KeyCreated } from '../../../shared/portal-api.ts';
import { post } from '../api.ts';
import { Button } from '../components/button.tsx';
import { type HeldKey, heldKeys, holdKey, onHeldKeys } from '../held-keys.ts';

export const useHeldKeys = (): readonly HeldKey[] => {
  const [keys, setKeys] = useState(heldKeys);
  useEffect(() => onHeldKeys(() => setKeys(heldKeys())), []);
  return keys;
};

const PASTE = 'paste';

export const KeyChoice = ({
  chosen,
  onChoose,
}: {
  chosen: HeldKey | undefined;
  onChoose: (key: HeldKey | undefined) => void;
}) => {
  const keys = useHeldKeys();
  const [pasting, setPasting] = useState(false);
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState<'live' | 'test'>();

  const create = async (mode: 'live' | 'test'): Promise<void> => {
    setBusy(mode);
    const answer = await post<KeyCreated>('/keys', { label: `Playground (${mode})`, mode });
    setBusy(undefined);
    if (!answer.ok) return setProblem(answer.problem.detail);
    const key: HeldKey = {
      keyId: answer.value.key.key_id,
      label: answer.value.key.label,
      mode,
      secret: answer.value.secret,
    };
    holdKey(key);
    onChoose(key);
  };
  const paste = (value: string): void => {
    setText(value);
    const parsed = parseApiKey(value.trim());
    if (!parsed) {
      onChoose(undefined);
      setProblem(value === '' ? undefined : 'This is not a whole key.');
      return;
    }
    setProblem(undefined);
    onChoose({ keyId: PASTE, label: 'Pasted key', mode: parsed.mode, secret: parsed.text });
  };
  const choose = (value: string): void => {
    setPasting(value === PASTE);
    onChoose(keys.find((key) => key.keyId === value));
  };

  return (
    <div class="stack tight">
      {(keys.length > 0 || pasting) && (
        <label class="field">
          <span class="label">Key</span>
          <select
            class="input"
            value={pasting ? PASTE : (chosen?.keyId ?? '')}
            onChange={(e) => choose(e.currentTarget.value)}
          >
            <option value="">Choose a key</option>
            {keys.map((key) => (
              <option key={key.keyId} value={key.keyId}>
                {key.label}
              </option>
            ))}
            <option value={PASTE}>Paste a key…</option>
          </select>
        </label>
      )}
      {pasting && (
        <label class="field">
          <span class="label">Secret key</span>
          <input
            class="input mono"
            type="password"
            autoComplete="off"
            spellcheck={false}
            placeholder="sk_live_… or sk_test_…"
            value={text}
            onInput={(e) => paste(e.currentTarget.value)}
          />
        </label>
      )}
      {problem && (
        <p class="field-error" role="alert">
          {problem}
        </p>
      )}
      {!chosen && (
        <div class="row tight">
          <Button compact busy={busy === 'test'} onClick={() => void create('test')}>
            New test key
          </Button>
          <Button compact busy={busy === 'live'} onClick={() => void create('live')}>
            New live key
          </Button>
          {!pasting && (
            <Button compact kind="quiet" onClick={() => setPasting(true)}>
              Paste a key
            </Button>
          )}
        </div>
      )}
      <p class="hint">A key used here stays in this tab's memory and is forgotten on reload.</p>
    </div>
  );
};
