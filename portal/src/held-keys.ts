/**
 * Secrets of keys made or pasted in this tab, for the playground. They live in this module's memory only: not in
 * localStorage, sessionStorage or a cookie. A reload or signing out forgets them.
 */
import type { KeyCreated } from '../../shared/portal-api.ts';

export type HeldKey = {
  readonly keyId: string;
  readonly label: string;
  readonly mode: 'live' | 'test';
  readonly secret: string;
};

let held: readonly HeldKey[] = [];
const listeners = new Set<() => void>();
const set = (next: readonly HeldKey[]): void => {
  held = next;
  for (const listener of listeners) listener();
};

export const heldKeys = (): readonly HeldKey[] => held;
export const holdKey = (key: HeldKey): void => set([...held.filter((other) => other.keyId !== key.keyId), key]);
/** A key that was made just now. */
export const holdMade = ({ key, secret }: KeyCreated): HeldKey => {
  const made = { keyId: key.key_id, label: key.label, mode: key.mode, secret };
  holdKey(made);
  return made;
};
export const forgetKey = (keyId: string): void => set(held.filter((key) => key.keyId !== keyId));
export const forgetKeys = (): void => set([]);
export const onHeldKeys = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};
