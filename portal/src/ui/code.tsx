/** Code with a copy button and just enough colour: strings, comments, keywords. */
import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { CopyButton } from './copy.tsx';

export type Language = 'sh' | 'js' | 'py' | 'json' | 'http';
const KEYWORDS: Partial<Record<Language, string>> = {
  js: 'import|from|const|let|await|async|new|return|for|of|if|else|function|throw|export',
  py: 'import|from|with|as|def|return|for|in|if|else|raise|open|not|None|True|False',
  sh: 'curl|export|npm|pip',
};
const COMMENT: Partial<Record<Language, string>> = { js: '//[^\\n]*', py: '#[^\\n]*', sh: '(?<=^|\\n)#[^\\n]*' };

const highlight = (source: string, language: Language): ComponentChildren[] => {
  const rules = [
    COMMENT[language],
    `"(?:\\\\.|[^"\\\\\\n])*"|'(?:\\\\.|[^'\\\\\\n])*'|\`[^\`]*\``,
    KEYWORDS[language] && `\\b(?:${KEYWORDS[language]})\\b`,
  ];
  const pattern = new RegExp(rules.map((rule) => `(${rule ?? '(?!)'})`).join('|'), 'g');
  const out: ComponentChildren[] = [];
  let from = 0;
  for (const match of source.matchAll(pattern)) {
    out.push(source.slice(from, match.index));
    out.push(<span class={match[1] ? 'tok-c' : match[2] ? 'tok-s' : 'tok-k'}>{match[0]}</span>);
    from = match.index + match[0].length;
  }
  return [...out, source.slice(from)];
};

export const Code = ({ source, language = 'sh', title }: { source: string; language?: Language; title?: string }) => (
  <div class="code">
    <div class="code-head">
      <span>{title ?? { sh: 'Shell', js: 'JavaScript', py: 'Python', json: 'JSON', http: 'HTTP' }[language]}</span>
      <CopyButton text={source} label="Copy code" />
    </div>
    {/* Scrollable code must be reachable by keyboard. */}
    <pre tabIndex={0} role="region" aria-label={title ?? 'Code'}>
      <code>{highlight(source, language)}</code>
    </pre>
  </div>
);

export type Sample = { readonly name: string; readonly language: Language; readonly source: string };
/** The same call in several languages. */
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
              aria-controls={`${id}-panel`}
              tabIndex={i === chosen ? 0 : -1}
              onClick={() => choose(i)}
            >
              {name}
            </button>
          ))}
        </div>
        <CopyButton text={sample.source} label="Copy code" />
      </div>
      <pre id={`${id}-panel`} role="tabpanel" tabIndex={0} aria-labelledby={`${id}-${chosen}`}>
        <code>{highlight(sample.source, sample.language)}</code>
      </pre>
    </div>
  );
};
