/** The small pieces that pages are made of. */
import type { ComponentChildren, TargetedInputEvent } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { PortalProblem } from '../../../shared/portal-api.ts';
import { useTitle } from '../router.tsx';
import { Icon, type IconName } from './icons.tsx';

type Children = { children?: ComponentChildren };

/** The page's heading takes the focus on navigation, so that screen readers announce it. */
export const PageHead = ({ title, lead, children }: { title: string; lead?: ComponentChildren } & Children) => {
  useTitle(title);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), [title]);
  return (
    <div class="page-head">
      <div>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {lead && <p>{lead}</p>}
      </div>
      {children && <div class="row">{children}</div>}
    </div>
  );
};

export const Card = ({
  title,
  lead,
  action,
  children,
  flush = false,
}: { title?: string; lead?: ComponentChildren; action?: ComponentChildren; flush?: boolean } & Children) => (
  <section class="card">
    {title && (
      <div class="card-head">
        <div>
          <h2>{title}</h2>
          {lead && <p>{lead}</p>}
        </div>
        {action}
      </div>
    )}
    {flush ? children : <div class="card-body">{children}</div>}
  </section>
);

export const Notice = ({ tone = 'info', children }: { tone?: 'info' | 'warn' | 'bad' | 'good' } & Children) => (
  <div class={`notice ${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
    <Icon name={tone === 'good' ? 'check' : tone === 'info' ? 'info' : 'warn'} />
    <div>{children}</div>
  </div>
);
export const Problem = ({ problem, retry }: { problem: PortalProblem | undefined; retry?: () => void }) =>
  problem ? (
    <Notice tone="bad">
      {problem.detail}{' '}
      {retry && (
        <button type="button" class="button compact" onClick={retry}>
          Try again
        </button>
      )}
    </Notice>
  ) : null;

export const Badge = ({ tone, children }: { tone?: 'good' | 'bad' | 'warn' | 'info' | undefined } & Children) => (
  <span class={`badge ${tone ?? ''}`}>{children}</span>
);

export const Empty = ({
  icon,
  title,
  children,
  action,
}: { icon: IconName; title: string; action?: ComponentChildren } & Children) => (
  <div class="empty">
    <Icon name={icon} size={28} />
    <h3>{title}</h3>
    <p>{children}</p>
    {action}
  </div>
);

/** Fills the room of what is loading. `height` in rem. */
export const Skeleton = ({ height = 1.25, width = '100%' }: { height?: number; width?: string }) => (
  <div class="skeleton" aria-hidden="true" style={{ height: `${height}rem`, width }} />
);

type ButtonProps = Children & {
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
}: ButtonProps) => (
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

/** Foot of a card whose list goes on. */
export const ShowOlder = ({ more }: { more: () => Promise<void> }) => (
  <div class="card-foot row end">
    <Button compact onClick={() => void more()}>
      Show older
    </Button>
  </div>
);

type FieldProps = {
  label: string;
  hint?: ComponentChildren;
  error?: string | undefined;
  type?: 'text' | 'email' | 'password';
  name?: string;
  value: string;
  onInput: (event: TargetedInputEvent<HTMLInputElement>) => void;
  required?: boolean;
  minLength?: number;
  maxLength?: number;
  placeholder?: string;
  autoComplete?: string;
  spellcheck?: boolean;
};
/** A labelled input; hint and error are read out with it. */
export const Field = ({ label, hint, error, ...input }: FieldProps) => {
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

type DialogProps = { title: string; onClose: () => void; footer?: ComponentChildren; dismissible?: boolean } & Children;
/** A modal on the browser's own <dialog>: focus is kept in it and given back afterwards. */
export const Dialog = ({ title, onClose, footer, children, dismissible = true }: DialogProps) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        if (dismissible) onClose();
      }}
      onClick={(event) => dismissible && event.target === dialog.current && onClose()}
    >
      <div>
        <div class="dialog-head">
          <h2 id={id}>{title}</h2>
        </div>
        <div class="dialog-body">{children}</div>
        {footer && <div class="dialog-foot">{footer}</div>}
      </div>
    </dialog>
  );
};

/** Re-renders every `ms`, for texts such as "3 minutes ago". */
export const useTick = (ms: number): void => {
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((n) => n + 1), ms);
    return () => clearInterval(timer);
  }, [ms]);
};
