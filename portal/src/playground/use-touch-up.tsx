/** Opens the touch-up of a finished run. Its code comes with the first use. */
import type { ComponentProps, ComponentType, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { TouchUpRun } from './touch-up-run.tsx';

type Props = ComponentProps<typeof TouchUpRun>;
type View = ComponentType<Props>;

export const useTouchUp = (
  props: Omit<Props, 'onClose'> | undefined,
): { readonly bench: JSX.Element | null; readonly open: () => void } => {
  const [view, setView] = useState<{ readonly of: View }>();
  // Another photo, or other options, end the run that is touched up, and its bench with it.
  const [openFor, setOpenFor] = useState<File>();
  useEffect(() => {
    if (!props) setOpenFor(undefined);
  }, [props === undefined]);
  const close = (): void => {
    setOpenFor(undefined);
    document.querySelector<HTMLElement>('h1')?.focus();
  };
  const open = (): void => {
    setOpenFor(props?.photo);
    import('./touch-up-run.tsx').then(
      (loaded) => setView({ of: loaded.TouchUpRun }),
      () => setOpenFor(undefined),
    );
  };
  const View = view?.of;
  const isOpen = props !== undefined && openFor === props.photo && View !== undefined;
  return { bench: isOpen ? <View {...props} onClose={close} /> : null, open };
};
