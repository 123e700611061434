/** Just enough colour for code: strings, comments, keywords. */
import type { ComponentChildren } from 'preact';
import type { Language } from './sample.ts';

const KEYWORDS: Partial<Record<Language, string>> = {
  ts: 'type|as|import|from|const|let|await|async|new|return|for|of|if|else|function|throw|export',
  py: 'import|from|with|as|def|return|for|in|if|else|raise|open|not|None|True|False',
  sh: 'curl|export|npm|pip',
};
const COMMENT: Partial<Record<Language, string>> = { ts: '//[^\\n]*', py: '#[^\\n]*', sh: '(?<=^|\\n)#[^\\n]*' };

export const highlight = (source: string, language: Language): ComponentChildren[] => {
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
