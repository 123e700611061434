/** A labelled input; hint and error are read out with it. */
import type { ComponentChildren, TargetedInputEvent } from 'preact';
import { useId } from 'preact/hooks';

type Props = {
  label: string;
  hint?: ComponentChildren;
  error?: string | undefined;
  type?: 'text' | 'email' | 'password' | 'number' | 'date';
  name?: string;
  value: string;
  onInput: (event: TargetedInputEvent<HTMLInputElement>) => void;
  required?: boolean;
  minLength?: number;
  maxLength?: number;
  min?: number;
  max?: number;
  placeholder?: string;
  autoComplete?: string;
  spellcheck?: boolean;
};

export const Field = ({ label, hint, error, ...input }: Props) => {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        class="input"
        aria-invalid={error ? true : undefined}
        aria-describedby={hint || error ? `${id}-more` : undefined}
        {...(input as object)}
      />
      {(error || hint) && (
        <div id={`${id}-more`} class={error ? 'field-error' : 'hint'} role={error ? 'alert' : undefined}>
          {error ?? hint}
        </div>
      )}
    </div>
  );
};
