import { Notice } from '../components/notice.tsx';
import { plural } from '../format.ts';
import { folderLimits } from './limits.ts';
import type { LeftOut } from './sort-files.ts';

/** Files that are not sent, each with the reason. */
export const LeftOutFiles = ({ files }: { files: readonly LeftOut[] }) => {
  if (files.length === 0) return null;
  const shown = files.slice(0, folderLimits.namesShown);
  return (
    <Notice tone="warn">
      <strong>{plural(files.length, 'file')} left out</strong>
      <ul class="left-out">
        {shown.map(({ name, reason }, i) => (
          <li key={`${i} ${name}`}>
            <span class="left-out-name">{name}</span>: {reason}
          </li>
        ))}
        {files.length > shown.length && <li>and {files.length - shown.length} more</li>}
      </ul>
    </Notice>
  );
};
