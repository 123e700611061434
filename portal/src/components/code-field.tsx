/** Six digits of an authenticator app, or a recovery code. */
import { Field } from './field.tsx';

type Props = { label: string; hint?: string; value: string; onInput: (value: string) => void };

export const CodeField = ({ label, hint, value, onInput }: Props) => (
  <Field
    label={label}
    hint={hint}
    name="code"
    autoComplete="one-time-code"
    spellcheck={false}
    required
    maxLength={20}
    value={value}
    onInput={(e) => onInput(e.currentTarget.value.trim())}
  />
);
