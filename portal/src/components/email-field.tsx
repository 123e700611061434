import { Field } from './field.tsx';

export const EmailField = ({ value, onInput }: { value: string; onInput: (value: string) => void }) => (
  <Field
    label="Email address"
    type="email"
    name="email"
    autoComplete="username"
    required
    value={value}
    onInput={(e) => onInput(e.currentTarget.value)}
  />
);
