/** Copying, with an answer both seen and heard. */
import { useEffect, useState } from 'preact/hooks';
import { Icon } from './icon.tsx';

const COPIED_MS = 1_600;

export const CopyButton = ({
  text,
  label = 'Copy',
  quiet = true,
  showLabel = false,
}: {
  text: string;
  label?: string;
  quiet?: boolean;
  showLabel?: boolean;
}) => {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), COPIED_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = (): void => void navigator.clipboard.writeText(text).then(() => setCopied(true));
  return (
    <button
      type="button"
      class={`button compact ${quiet ? 'quiet' : ''} ${showLabel ? '' : 'icon-only'}`}
      onClick={copy}
      aria-label={showLabel ? undefined : label}
      title={label}
    >
      <Icon name={copied ? 'check' : 'copy'} size={14} />
      {showLabel && (copied ? 'Copied' : label)}
      <span class="visually-hidden" role="status">
        {copied ? 'Copied to the clipboard' : ''}
      </span>
    </button>
  );
};
