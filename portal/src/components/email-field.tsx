import { Field } from './field.tsx';

type Props = { label?: string; autoComplete?: string; value: string; onInput: (value: string) => void };

export const EmailField = ({ label = 'Email address', autoComplete = 'username', value, onInput }: Props) => (
  <Field
    label={label}
    type="email"
    name="email"
    autoComplete={autoComplete}
    required
    value={value}
    onInput={(e) => onInput(e.currentTarget.value)}
  />
);
