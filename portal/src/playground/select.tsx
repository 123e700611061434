import type { ComponentChildren } from 'preact';

type SelectProps = {
  label: string;
  name: string;
  value: string;
  onValue: (value: string) => void;
  children: ComponentChildren;
};

export const Select = ({ label, name, value, onValue, children }: SelectProps) => (
  <label class="field">
    <span class="label">{label}</span>
    <select class="input" name={name} value={value} onChange={(e) => onValue(e.currentTarget.value)}>
      {children}
    </select>
  </label>
);
