import { Field } from './field.tsx';

type Props = { label?: string; value: string; onInput: (value: string) => void };

/** The password that an account has; a new one is typed into a NewPasswordField. */
export const PasswordField = ({ label = 'Password', value, onInput }: Props) => (
  <Field
    label={label}
    type="password"
    name="password"
    autoComplete="current-password"
    required
    value={value}
    onInput={(e) => onInput(e.currentTarget.value)}
  />
);
