/** The same call in several languages. */
import { useId, useState } from 'preact/hooks';
import { CopyButton } from './copy-button.tsx';
import { highlight } from './highlight.tsx';
import type { Sample } from './sample.ts';

export const CodeTabs = ({ samples, label }: { samples: readonly Sample[]; label: string }) => {
  const [chosen, choose] = useState(0);
  const id = useId();
  const sample = samples[chosen] ?? samples[0]!;
  const onKey = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    const next = (chosen + step + samples.length) % samples.length;
    choose(next);
    document.getElementById(`${id}-${next}`)?.focus();
  };
  return (
    <div class="code">
      <div class="code-head">
        <div class="tabs" role="tablist" aria-label={label} onKeyDown={onKey}>
          {samples.map(({ name }, i) => (
            <button
              key={name}
              id={`${id}-${i}`}
              type="button"
              role="tab"
              class="tab"
              aria-selected={i === chosen}
              aria-controls={`${id}-panel-${i}`}
              tabIndex={i === chosen ? 0 : -1}
              onClick={() => choose(i)}
            >
              {name}
            </button>
          ))}
        </div>
        <CopyButton text={sample.source} label="Copy code" />
      </div>
      {/* All are in the page, so that it can be written out whole. */}
      {samples.map(({ name, language, source }, i) => (
        <pre
          key={name}
          id={`${id}-panel-${i}`}
          role="tabpanel"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a tab panel without controls takes the focus itself (ARIA APG).
          tabIndex={0}
          aria-labelledby={`${id}-${i}`}
          hidden={i !== chosen}
          data-name={name}
        >
          <code class={`language-${language}`}>{highlight(source, language)}</code>
        </pre>
      ))}
    </div>
  );
};
