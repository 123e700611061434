/** Opens the palette by ⌘K or Ctrl+K, and by whoever calls `open`. Its code comes with the first use. */
import type { ComponentType, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

type View = ComponentType<{ onClose: () => void }>;

/** As the keyboard of this machine has it. */
export const paletteKeys = (): string => (/Mac|iPhone|iPad/.test(navigator.platform) ? '⌘K' : 'Ctrl K');

export const usePalette = (): { readonly palette: JSX.Element | null; readonly open: () => void } => {
  const [view, setView] = useState<{ readonly of: View }>();
  const [isOpen, setOpen] = useState(false);
  const open = (): void => {
    setOpen(true);
    import('./palette.tsx').then(
      ({ Palette }) => setView({ of: Palette }),
      () => setOpen(false),
    );
  };
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey) || event.altKey || event.shiftKey)
        return;
      // A dialog that asks something is answered first.
      if (document.querySelector('dialog[open]')) return;
      event.preventDefault();
      open();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  const View = view?.of;
  return { palette: isOpen && View ? <View onClose={() => setOpen(false)} /> : null, open };
};
