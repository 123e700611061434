/** A modal on the browser's own <dialog>: focus stays in it and goes back afterwards. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

type Props = {
  title: string;
  onClose: () => void;
  footer?: ComponentChildren;
  /** False: only its buttons close it. */
  dismissible?: boolean;
  children?: ComponentChildren;
};

export const Dialog = ({ title, onClose, footer, children, dismissible = true }: Props) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a click on the backdrop closes it; by keyboard Escape does (onCancel).
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
