/** Code with a copy button. */
import { CopyButton } from './copy-button.tsx';
import { highlight } from './highlight.tsx';
import type { Language } from './sample.ts';
import { ScrollRegion } from './scroll-region.tsx';

const names: Record<Language, string> = { sh: 'Shell', ts: 'TypeScript', py: 'Python', json: 'JSON', http: 'HTTP' };

type Props = {
  source: string;
  language?: Language;
  title?: string;
  /** Of a page where several have the same title. */
  label?: string;
};

export const Code = ({ source, language = 'sh', title, label = title ?? 'Code' }: Props) => (
  <div class="code">
    <div class="code-head">
      <span>{title ?? names[language]}</span>
      <CopyButton text={source} label="Copy code" />
    </div>
    <ScrollRegion label={label}>
      <pre data-name={title}>
        <code class={`language-${language}`}>{highlight(source, language)}</code>
      </pre>
    </ScrollRegion>
  </div>
);
