import { CopyButton } from './copy-button.tsx';

/** A value to be copied whole, such as a secret. */
export const CopyField = ({ value, label }: { value: string; label: string }) => (
  <div class="secret">
    <code>{value}</code>
    <CopyButton text={value} label={label} />
  </div>
);
