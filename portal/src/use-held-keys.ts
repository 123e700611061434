/** The keys of this tab, and making another. */
import { useEffect, useState } from 'preact/hooks';
import type { KeyCreated } from '../../shared/portal-api.ts';
import { post } from './api.ts';
import { type HeldKey, heldKeys, holdMade, onHeldKeys } from './held-keys.ts';
import { useCall } from './use-call.ts';

export const useHeldKeys = (): readonly HeldKey[] => {
  const [keys, setKeys] = useState(heldKeys);
  useEffect(() => onHeldKeys(() => setKeys(heldKeys())), []);
  return keys;
};

/** Makes a key of either kind and keeps it in this tab. `use`: what it is for, in its label. */
export const useNewKey = (use: string, onMade: (key: HeldKey) => void = () => undefined) => {
  const { busy, problem, run } = useCall();
  const [mode, setMode] = useState<HeldKey['mode']>();
  const create = async (mode: HeldKey['mode']): Promise<void> => {
    setMode(mode);
    const answer = await run(post<KeyCreated>('/keys', { label: `${use} (${mode})`, mode }));
    if (answer.ok) onMade(holdMade(answer.value));
  };
  return { creating: busy ? mode : undefined, problem, create };
};
