/** Going somewhere by typing: pages, documentation, the log, and whatever an id names. */
import { useId, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { Dialog } from '../components/dialog.tsx';
import { Icon } from '../components/icon.tsx';
import { useMay } from '../session.tsx';
import { type Target, targetsFor } from './targets.ts';

const SHOWN_MAX = 8;

export const Palette = ({ onClose }: { onClose: () => void }) => {
  const { route } = useLocation();
  const id = useId();
  const may = useMay();
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const shown = targetsFor(text, may).slice(0, SHOWN_MAX);
  const chosen = shown[at];
  const go = ({ href }: Target): void => {
    onClose();
    route(href);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setAt((at + step + shown.length) % shown.length);
    else if (event.key === 'Enter' && chosen && !event.isComposing) go(chosen);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Go to" onClose={onClose}>
      <input
        class="input"
        type="text"
        role="combobox"
        aria-label="Page, file name or id"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={chosen && `${id}-${at}`}
        aria-autocomplete="list"
        autocomplete="off"
        spellcheck={false}
        placeholder="A page, a file name, an id such as req_…"
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: the list of a combobox (ARIA practices); the keys are heard by its field. */}
      <ul id={`${id}-list`} class="palette" role="listbox" aria-label="Results">
        {shown.map((target, place) => (
          // biome-ignore lint/a11y/useFocusableInteractive: focus stays in the field, which names the chosen one.
          // biome-ignore lint/a11y/useKeyWithClickEvents: the same.
          <li
            key={target.href + target.group}
            id={`${id}-${place}`}
            // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: as above.
            role="option"
            aria-selected={place === at}
            class={place === at ? 'chosen' : ''}
            onMouseMove={() => setAt(place)}
            onClick={() => go(target)}
          >
            <Icon name={target.icon} size={16} />
            <span class="grow">{target.name}</span>
            <span class="small muted">{target.group}</span>
          </li>
        ))}
      </ul>
    </Dialog>
  );
};
