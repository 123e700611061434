/** Which key the real run uses: one created in this tab, a pasted one, or a new one. Secrets stay in memory. */
import { useState } from 'preact/hooks';
import { parseApiKey } from '../../../shared/api-key.ts';
import { Button } from '../components/button.tsx';
import type { HeldKey } from '../held-keys.ts';
import { useHeldKeys, useNewKey } from '../use-held-keys.ts';

const PASTE = 'paste';

type Choose = (key: HeldKey | undefined) => void;

const PastedKey = ({ onChoose }: { onChoose: Choose }) => {
  const [text, setText] = useState('');
  const [incomplete, setIncomplete] = useState(false);
  const paste = (value: string): void => {
    setText(value);
    const parsed = parseApiKey(value.trim());
    setIncomplete(!parsed && value !== '');
    onChoose(parsed && { keyId: PASTE, label: 'Pasted key', mode: parsed.mode, secret: parsed.text });
  };
  return (
    <>
      <label class="field">
        <span class="label">Secret key</span>
        <input
          class="input mono"
          type="password"
          autoComplete="off"
          spellcheck={false}
          placeholder="packshot_live_… or packshot_test_…"
          value={text}
          onInput={(e) => paste(e.currentTarget.value)}
        />
      </label>
      {incomplete && <KeyProblem>This key is incomplete.</KeyProblem>}
    </>
  );
};

const KeyProblem = ({ children }: { children: string }) => (
  <p class="field-error" role="alert">
    {children}
  </p>
);

export const KeyChoice = ({ chosen, onChoose }: { chosen: HeldKey | undefined; onChoose: Choose }) => {
  const keys = useHeldKeys();
  const [pasting, setPasting] = useState(false);
  const { creating, problem, create } = useNewKey('Playground', (made) => {
    setPasting(false);
    onChoose(made);
  });
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
      {pasting && <PastedKey onChoose={onChoose} />}
      {problem && <KeyProblem>{problem.detail}</KeyProblem>}
      {!chosen && (
        <div class="row tight">
          <Button compact busy={creating === 'test'} onClick={() => void create('test')}>
            New test key
          </Button>
          <Button compact busy={creating === 'live'} onClick={() => void create('live')}>
            New live key
          </Button>
          {!pasting && (
            <Button compact kind="quiet" onClick={() => setPasting(true)}>
              Paste a key
            </Button>
          )}
        </div>
      )}
      <p class="hint">A key used here stays in this tab's memory and is gone after a reload.</p>
    </div>
  );
};
