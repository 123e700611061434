import type { ComponentChildren } from 'preact';

type Props = {
  children?: ComponentChildren;
  busy?: boolean;
  kind?: 'primary' | 'danger' | 'danger primary' | 'quiet' | '';
  compact?: boolean;
  type?: 'button' | 'submit';
  form?: string;
  class?: string;
  disabled?: boolean;
  onClick?: () => void;
  'aria-label'?: string;
  'aria-pressed'?: boolean;
};

export const Button = ({
  busy = false,
  kind = '',
  compact = false,
  type = 'button',
  children,
  class: extra,
  ...rest
}: Props) => (
  <button
    {...rest}
    type={type}
    class={`button ${kind} ${compact ? 'compact' : ''} ${extra ?? ''}`}
    disabled={busy || Boolean(rest.disabled)}
    aria-busy={busy}
  >
    {busy && <span class="spinner" aria-hidden="true" />}
    {children}
  </button>
);
