/** A field for a password yet to be set, held to the server's own lengths. */
import type { ComponentChildren } from 'preact';
import { limits } from '../../../shared/limits.ts';
import { Field } from './field.tsx';

const { passwordCharsMin, passwordCharsMax } = limits.portal;

type Props = {
  readonly label: string;
  readonly name?: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly hint?: ComponentChildren;
};

export const NewPasswordField = ({
  label,
  name,
  value,
  onInput,
  hint = `At least ${passwordCharsMin} characters.`,
}: Props) => (
  <Field
    label={label}
    type="password"
    {...(name === undefined ? {} : { name })}
    autoComplete="new-password"
    required
    minLength={passwordCharsMin}
    maxLength={passwordCharsMax}
    value={value}
    onInput={(e) => onInput(e.currentTarget.value)}
    hint={hint}
  />
);
