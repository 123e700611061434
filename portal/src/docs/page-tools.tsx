/** The page as Markdown: to copy into a conversation with an agent, or to open. */
import { useEffect, useState } from 'preact/hooks';
import { Icon } from '../components/icon.tsx';
import { markdownPath } from './contents.ts';

const SHOWN_MS = 1_600;
type State = 'idle' | 'copied' | 'failed';
const labels: Record<State, string> = {
  idle: 'Copy for an agent',
  copied: 'Copied',
  failed: 'Could not copy',
};

const markdownOf = async (path: string): Promise<string> => {
  const response = await fetch(markdownPath(path));
  if (!response.ok) throw new Error(String(response.status));
  return response.text();
};

export const PageTools = ({ path }: { path: string }) => {
  const [state, setState] = useState<State>('idle');
  useEffect(() => {
    if (state === 'idle') return;
    const timer = setTimeout(() => setState('idle'), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = (): void =>
    void markdownOf(path)
      .then((text) => navigator.clipboard.writeText(text))
      .then(
        () => setState('copied'),
        () => setState('failed'),
      );
  return (
    <p class="page-tools">
      <button type="button" class="button compact quiet" onClick={copy}>
        <Icon name={state === 'copied' ? 'check' : 'copy'} size={14} />
        {labels[state]}
      </button>
      {/* Not a page of this application: the router leaves links with a target alone. */}
      <a class="button compact quiet" href={markdownPath(path)} target="_blank" rel="noopener">
        Markdown
      </a>
      <span class="visually-hidden" role="status">
        {state === 'idle' ? '' : labels[state]}
      </span>
    </p>
  );
};
