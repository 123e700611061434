/** What stands where a list has no rows yet. */
import type { ComponentChildren } from 'preact';
import { Icon } from './icon.tsx';
import type { IconName } from './icon-paths.ts';

type Props = { icon: IconName; title: string; action?: ComponentChildren; children?: ComponentChildren };

export const Empty = ({ icon, title, children, action }: Props) => (
  <div class="empty">
    <Icon name={icon} size={28} />
    <h2>{title}</h2>
    <p>{children}</p>
    {action}
  </div>
);
