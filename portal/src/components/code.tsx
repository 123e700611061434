/** Code with a copy button. */
import { CopyButton } from './copy-button.tsx';
import { highlight, type Language } from './highlight.tsx';
import { ScrollRegion } from './scroll-region.tsx';

const names: Record<Language, string> = { sh: 'Shell', ts: 'TypeScript', py: 'Python', json: 'JSON', http: 'HTTP' };

export const Code = ({ source, language = 'sh', title }: { source: string; language?: Language; title?: string }) => (
  <div class="code">
    <div class="code-head">
      <span>{title ?? names[language]}</span>
      <CopyButton text={source} label="Copy code" />
    </div>
    <ScrollRegion label={title ?? 'Code'}>
      <pre data-name={title}>
        <code class={`language-${language}`}>{highlight(source, language)}</code>
      </pre>
    </ScrollRegion>
  </div>
);
